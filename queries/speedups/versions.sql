-- Every suite's known versions, oldest first.
SELECT suite, version FROM suite_version ORDER BY suite, committed_on, id;
