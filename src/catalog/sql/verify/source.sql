-- Sources.
SELECT slug, concat_ws(' | ', name, home, quote(data_license), quote(module_license), attribution,
       terms, quote(redistribution), freshness_days)
FROM source;
