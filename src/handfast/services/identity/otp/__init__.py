"""Codes by SMS: six digits, ten minutes, three tries, once; and what a right one makes.

phones       numbers as they are written and as they are stored; which are refused
codes        which code a request gets, and what is stored of it
sending      POST /auth/otp/send: the same request for ten minutes, within its limits
verifying    POST /auth/otp/verify: a try is counted, and the right one proves the phone
signing_in   a proven phone becomes a sign-in
sms          what sends them: an interface, and the one that writes to the log
"""
