"""One module per group of addresses.

What is in here:

    health          is it alive, can it serve, how is it doing
    match_runs      match runs, for anybody
    match_runs_admin  one run's steps, and the corpus, for operators
    fixtures        fixtures, for operators
    ledger          money, for operators
    stakes          the staked queue, for players, game servers and operators
    webhooks        webhook endpoints, for operators
    people          profiles, photos, questions, verification, blocks
    offers          offers of the day, and matches
    chat            messages of a match
    safety          reports, decisions, appeals
    identity        signing in, staying signed in, signing out
    user_events     what concerns the signed-in user, as it comes
    admin           the operators' router: the guard is on it
    admin_dashboard  which pages there are, and for whom
    admin_engine    figures, workers, schedules, alerts, events as they happen
    admin_figures   figures by the minute, by kind; ticks by the day
    admin_jobs      jobs, one by one and in lists
    admin_identity  why a job does not run, and one identity whole
    admin_dead      dead letters
    admin_pauses    lanes, kinds and schedules that are paused
    admin_bulk      one action on all that match
    admin_gaps      what is expected and does not exist
    admin_settings  settings, masked
    admin_audit     what operators have changed
    admin_session   signing in with a browser
    event_streams   a stream of the hub as server-sent events
    admin_offers    offers: zones, rounds, a user's sets
    admin_users     accounts: find, suspend, reinstate, sign out
    admin_problems  parameters and refusals that they share

Flat because each is one group of addresses, found by the name that stands first in them.
"""
