"""What machines cannot tell: differences of sides that are equal by construction."""
