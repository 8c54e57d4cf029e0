"""For programs that get our webhooks: prove who sent it, and handle it once.

What is in here:

    receiver        verify, and whether it is to be handled now
    asgi            the same as a whole ASGI application
    inbox           which events were handled, in the receiver's own database
    inbox_drivers   its one statement, through whichever driver the receiver uses
"""
