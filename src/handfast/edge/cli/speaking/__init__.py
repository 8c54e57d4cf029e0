"""What the commands share: how they read what is typed, and how they print.

What is in here:

    options   options that several commands have
    ids       what may be typed where an id is wanted
    output    text for people, JSON for programs, one paragraph for errors
    listing   tables, whatever the width of the terminal
    changes   what somebody changes, in the audit under the name of the machine's user
"""
