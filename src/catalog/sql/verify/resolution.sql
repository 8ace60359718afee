-- How finely each run is stated: its digest holds the value alone.
SELECT 'run:' || lower(hex(digest)), resolution FROM measurement;
