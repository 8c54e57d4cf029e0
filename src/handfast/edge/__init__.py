"""Where Handfast meets people and programs. The only room that knows Litestar and cyclopts: it
translates, and decides nothing.

    api       what the API answers, for those who serve it and those who call it
    http      the API
    cli       the command line
    client    calling the API, or any other, with retries that are safe
    stopping  how a process that runs until it is told to stop, stops
"""
