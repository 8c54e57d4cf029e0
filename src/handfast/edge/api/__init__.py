"""What the API takes and answers, once: the server's routes and ``edge/client`` share it.

    bounds        what an id may be, wherever one is taken
    health        alive, ready, and what is running
    jobs          jobs one by one, and the workers
    identities    one identity whole, and why a job does not run
    pauses        what is paused, pausing it and going on
    dead_letters  putting back and letting go
    bulk          one action on all that match
    gaps          what is expected and missing
    schedules     what recurs
    figures       figures over time
    stats         figures and alerts
    events        events as they come
    webhooks      endpoints, and sending again
    identity      signing in, and accounts
    dashboard     which pages there are, and for whom
    settings      settings, masked
    sessions      signing in with a browser, for operators and viewers
    people        what people send, and the questionnaire
    offers        what users do with offers and matches
    chat          what users send about messages
    safety        reports, decisions, appeals
    runs          match runs, in the spellings of two worlds
    ledger        money that operators move
    stakes        what players and game servers send, and are answered
    fixtures      fixtures that are brought in
    viewing       what viewers see; the rules for each answer stand with it

Flat because each module is the answers of one group of addresses.

Lists and details that the engine, a service or an app shows to everybody (``JobPage``,
``Endpoint``, ``FixtureDetail``) are its own; here is what only exists over HTTP. No web framework:
a client must not bring one along.
"""
