-- Hosts that give out names below them (NAME.tumblr.com) have no segments: their own paths are theirs.
-- A host may be shared below one folder only (gust.com/c). What Handfast ships comes with the function
-- runs.shared_segments from now on; this table is the users', and wins.
ALTER TABLE runs.shared_hosts
    DROP CONSTRAINT shared_host_segments,
    ADD CONSTRAINT shared_host_segments CHECK (segments BETWEEN 0 AND 4),
    DROP CONSTRAINT shared_host_is_canonical,
    ADD CONSTRAINT shared_host_is_canonical
        CHECK (host ~ '^[a-z0-9_.-]+(/[^/?#[:space:]]+)?$' AND host NOT LIKE 'www.%'),
    ADD CONSTRAINT shared_folder_names_somebody CHECK (segments > 0 OR strpos(host, '/') = 0);

COMMENT ON COLUMN runs.shared_hosts.segments IS
    'how many segments of the path name the company: 1 for github.com/acme, 2 for linkedin.com/company/acme; '
    'after the folder where there is one (gust.com/c); 0 where names are given out below the host';
