"""What an id may be, wherever the API takes one."""

ID_MAX = 2**53 - 1  # what a number in JSON can hold exactly everywhere
