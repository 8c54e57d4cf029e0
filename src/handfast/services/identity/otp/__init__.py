"""Codes by SMS: six digits, ten minutes, three tries, once.

phones       numbers as they are written and as they are stored; which are refused
codes        which code a request gets, and what is stored of it
sms          what sends them: an interface, and the one that writes to the log
"""
