"""What a run or a comparison must be checked for, and what the checks say."""
