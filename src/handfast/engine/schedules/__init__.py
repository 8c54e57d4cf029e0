"""What recurs: declared in a program, stored in the database, fired once each.

No scheduler leads: each follows what is stored, and the database lets every tick happen once.

    zones      local times and instants, by the pinned tables
    cron       reading cron expressions
    ticks      when a schedule ticks
    declared   what a program declares: something that recurs
    store      schedules in the database, and what every surface shows of them
    catch_up   what becomes of ticks that were missed
    guard      what is a schedule's own fails for that schedule alone
    due        what is due of one schedule at one instant
    scheduler  firing ticks; any number may run
"""
