-- Hardware families that coverage asks about, in the order of pages.
SELECT family, display FROM watch ORDER BY ordinal;
