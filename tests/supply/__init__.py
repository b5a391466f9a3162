"""What others wrote of which Weighhouse is made: lists, licences, what is known against it."""
