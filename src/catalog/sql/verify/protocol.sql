-- Protocols beside their specs.
SELECT digest, concat_ws(' | ', harness, statistic, quote(timer), quote(warmups), quote(cache),
       quote(precision), quote(autograd))
FROM protocol;
