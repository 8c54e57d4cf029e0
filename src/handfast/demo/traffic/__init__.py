"""What goes on after the story, so that every page has something that moves.

Each module is one ``async def …(stage)`` that never ends and makes little: together they keep a
processor busy for a few hundredths. What piles up is bounded, so that a demo can be left alone.

    pacing      how long between two of something
    shop        the demo's own jobs: orders in chains, a courier that fails, invoices nobody made
    receiver    an endpoint that sometimes answers 500
    startups    match runs, also of companies that nobody knows
    players     stakes, games, now and then a dispute
    friendlies  fixtures whose kickoff comes near
    couples     the next zone's 09:00, and offers that are accepted by both
    chatting    what they write
    reporting   now and then a report
"""
