"""``handfast safety``.

What is in here:

    safety     reports, show, decide, note, appeals, decide-appeal
    printing   reports and appeals, for people to read
"""
