"""The staked queue: two players stake the same amount and are paired; the winner takes the pot.

Money is the ledger's (``services/ledger``): a ticket is a hold there, a session two of them. What
must be true at any time is a constraint in ``sql/migrations/stakes``: one live ticket or session
for each player, a hold of one ticket, moves of states that go one way.

    values        tickets, sessions, moves and disputes
    terms         what is offered, and on which terms
    rules         which money follows from what, how long it takes, and why; pure
    queue         into the line, out of it, to another, and where somebody stands
    matching      who plays whom, and who sees to it
    fast          Redis, which may say so earlier, and is never believed
    sessions      moves, results, disputes, and sessions that nobody reports
    following     what happens here when an account is suspended or deleted
    watching      what operators see of the queue and of the games
    checking      whether tickets, sessions and holds agree
    expectations  disputes that nobody resolves are gaps
    work          the matchmaker, the hourly check, and figures once a minute
    facade        what a program holds
    metrics       what is counted
    errors        errors of stakes
    settings      settings of stakes
    capability    stakes as a capability
"""
