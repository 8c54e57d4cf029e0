"""What happens to a request with a key, in any ASGI application.

What is in here:

    middleware      the way of each request: claim, carry out, replay or refuse
    rules           which routes require, allow or ignore a key
    principals      whose key it is
    bodies          reading the request whole
    multipart       the parts of a multipart body, to tell whether two bodies say the same
    in_flight       duplicates within one process wait here
    execution       the request's transaction, and how a request ends
    held_response   a response held back until it is committed
"""
