"""Cases for the rows of the operator table."""
