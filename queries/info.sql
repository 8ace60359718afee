-- Small facts about the whole file.
SELECT (SELECT user_version FROM pragma_user_version) AS schema_version,
       (SELECT journal_mode FROM pragma_journal_mode) AS journal_mode,
       (SELECT min(observed_at) FROM measurement) AS oldest,
       (SELECT max(observed_at) FROM measurement) AS newest,
       (SELECT max(learned_at) FROM reading) AS last_import;
