-- The watch list.
SELECT family, concat_ws(' | ', display, ordinal)
FROM watch;
