-- Old addresses of startups, and hosts that carry many companies.
--
-- An alias says that two addresses are one company. No target is an alias itself: a trigger writes
-- the last address of a chain into each of its rows, so that reading needs one step and a cycle
-- is refused (alias_elsewhere).

CREATE INDEX aliases_by_target ON runs.aliases (target);

CREATE FUNCTION runs.flatten_alias() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- One after the other: two that come at once would not see each other's row.
    PERFORM pg_advisory_xact_lock(hashtext('runs.aliases'));
    NEW.canonical_url := runs.canonicalize_url(NEW.canonical_url);
    NEW.target := runs.canonicalize_url(NEW.target);
    NEW.noted_at := coalesce(NEW.noted_at, db.now());
    NEW.target := coalesce(
        (SELECT a.target FROM runs.aliases AS a WHERE a.canonical_url = NEW.target), NEW.target);
    IF NEW.canonical_url = NEW.target THEN
        RAISE EXCEPTION '% would be an old address of itself', NEW.canonical_url
            USING ERRCODE = 'check_violation', CONSTRAINT = 'alias_elsewhere', TABLE = TG_TABLE_NAME,
                  SCHEMA = TG_TABLE_SCHEMA,
                  HINT = 'Delete the alias that leads back first, if the company has its old address again.';
    END IF;
    UPDATE runs.aliases AS a SET target = NEW.target WHERE a.target = NEW.canonical_url;
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION runs.flatten_alias() FROM PUBLIC;

CREATE TRIGGER aliases_flat BEFORE INSERT OR UPDATE ON runs.aliases
FOR EACH ROW EXECUTE FUNCTION runs.flatten_alias();

ALTER TABLE runs.shared_hosts ADD CONSTRAINT shared_host_is_canonical
    CHECK (host ~ '^[a-z0-9_.-]+$' AND host NOT LIKE 'www.%');

-- Yours to change: an upgrade never touches what is here.
INSERT INTO runs.shared_hosts (host, segments) VALUES
    -- code
    ('bitbucket.org', 1), ('codeberg.org', 1), ('gist.github.com', 1), ('github.com', 1),
    ('gitlab.com', 1), ('huggingface.co', 1), ('npmjs.com', 2), ('sourceforge.net', 2),
    -- people and companies
    ('about.me', 1), ('beacons.ai', 1), ('behance.net', 1), ('bsky.app', 2), ('dev.to', 1),
    ('discord.com', 2), ('discord.gg', 1), ('dribbble.com', 1), ('facebook.com', 1),
    ('instagram.com', 1), ('linkedin.com', 2), ('linktr.ee', 1), ('medium.com', 1),
    ('patreon.com', 1), ('pinterest.com', 1), ('reddit.com', 2), ('substack.com', 1), ('t.me', 1),
    ('threads.com', 1), ('threads.net', 1), ('tiktok.com', 1), ('twitter.com', 1), ('vimeo.com', 1),
    ('x.com', 1), ('xing.com', 2), ('youtube.com', 1), ('youtu.be', 1),
    -- registers of startups, and places to raise money
    ('angel.co', 2), ('crowdcube.com', 2), ('crunchbase.com', 2), ('dealroom.co', 2), ('f6s.com', 1),
    ('gofundme.com', 2), ('indiegogo.com', 2), ('kickstarter.com', 3), ('pitchbook.com', 3),
    ('producthunt.com', 2), ('republic.com', 1), ('startengine.com', 1), ('tracxn.com', 3),
    ('wefunder.com', 1), ('wellfound.com', 2), ('ycombinator.com', 2),
    -- pages, files, shops, short links
    ('airtable.com', 1), ('apps.apple.com', 3), ('bit.ly', 1), ('calendly.com', 1),
    ('docs.google.com', 3), ('drive.google.com', 3), ('dropbox.com', 2), ('etsy.com', 2),
    ('eventbrite.com', 2), ('forms.gle', 1), ('goo.gl', 1), ('gumroad.com', 1), ('mailchi.mp', 1),
    ('notion.so', 1), ('play.google.com', 3), ('s3.amazonaws.com', 1), ('sites.google.com', 2),
    ('storage.googleapis.com', 1), ('tinyurl.com', 1), ('wa.me', 1);
