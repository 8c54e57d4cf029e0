"""Commands that are processes of their own: most run until they are stopped.

What is in here:

    up          ``handfast up`` and ``handfast demo``: everything in one process
    api         ``handfast api``: HTTP alone
    worker      ``handfast worker``: works on the jobs of a program
    scheduler   ``handfast scheduler``: fires the ticks of a program's schedules
    bench       ``handfast bench``: what jobs cost here; ends by itself
    program     finding the user's program, for all of them
    demo_story  how the demo tells its story
"""
