-- A place in a reading that states a run.
INSERT INTO sighting (reading_id, ordinal, measurement_id, pointer, line, hardware, stated, recorded_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);
