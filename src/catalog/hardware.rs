//! From a device string to a product: whole-string aliases, never substrings. A string
//! that isn't listed is a product of its own, without peaks.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::reference::folded;
use crate::error::Result;

/// A product as the catalogue refers to it.
#[derive(Debug, Clone)]
pub struct Product {
    /// Row.
    pub id: i64,
    /// Stable name; enters environment digests.
    pub slug: String,
    /// DRAM peak in GB/s, if known.
    pub bandwidth_gbs: Option<f64>,
}

/// Resolves device strings, remembering what it saw.
#[derive(Default)]
pub struct Products {
    seen: HashMap<String, Product>,
}

impl Products {
    /// The product that a device string means, made if it is new.
    pub fn resolve(&mut self, connection: &Connection, text: &str) -> Result<Product> {
        if let Some(product) = self.seen.get(text) {
            return Ok(product.clone());
        }
        let alias = folded(text);
        let listed: Option<i64> = connection
            .prepare_cached("SELECT hardware_id FROM hardware_alias WHERE alias = ?1")?
            .query_row([&alias], |row| row.get(0))
            .optional()?;
        let id = match listed {
            Some(id) => {
                keep_one_spelling(connection, id, text)?;
                id
            }
            None => add_unlisted(connection, text, &alias)?,
        };
        let product = connection
            .prepare_cached("SELECT slug, bandwidth_gbs FROM hardware WHERE id = ?1")?
            .query_row([id], |row| {
                Ok(Product {
                    id,
                    slug: row.get(0)?,
                    bandwidth_gbs: row.get(1)?,
                })
            })?;
        self.seen.insert(text.to_owned(), product.clone());
        Ok(product)
    }
}

/// Two spellings of an unlisted product show as the smaller text, whichever came first.
fn keep_one_spelling(connection: &Connection, id: i64, text: &str) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE hardware SET product = ?2 WHERE id = ?1 AND listed = 0 AND product > ?2",
        )?
        .execute(params![id, text.trim()])?;
    Ok(())
}

fn add_unlisted(connection: &Connection, text: &str, alias: &str) -> Result<i64> {
    let slug = slug(alias);
    connection.execute(
        "INSERT INTO hardware (slug, short, family, product, listed) VALUES (?1, ?1, ?2, ?3, 0)
         ON CONFLICT (slug) DO UPDATE SET product = min(product, excluded.product)
         WHERE listed = 0",
        params![slug, family(connection, alias)?, text.trim()],
    )?;
    let id = connection.query_row("SELECT id FROM hardware WHERE slug = ?1", [&slug], |row| {
        row.get(0)
    })?;
    connection.execute(
        "INSERT INTO hardware_alias (alias, hardware_id) VALUES (?1, ?2)",
        params![alias, id],
    )?;
    Ok(id)
}

/// A stable name from a device string. Punctuation reads as a blank, so that strings
/// which differ in it alone are one product whatever the order of imports.
fn slug(alias: &str) -> String {
    let words: String = alias
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '.' || c == '+' {
                c
            } else {
                ' '
            }
        })
        .collect();
    let slug = words.split_whitespace().collect::<Vec<_>>().join("-");
    if slug.is_empty() {
        "unnamed-device".to_owned()
    } else {
        slug
    }
}

/// The family of an unlisted device: only when its string begins, word by word, with a
/// listed product's spelling or with vendor and family (`NVIDIA H100` → h100).
fn family(connection: &Connection, alias: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT family FROM (
             SELECT a.alias AS prefix, h.family FROM hardware_alias a
             JOIN hardware h ON h.id = a.hardware_id WHERE h.listed = 1
             UNION SELECT lower(vendor) || ' ' || family, family FROM hardware WHERE listed = 1
         ) WHERE ?1 = prefix OR substr(?1, 1, length(prefix) + 1) = prefix || ' '
         ORDER BY length(prefix) DESC, family LIMIT 1",
    )?;
    Ok(statement
        .query_row([alias], |row| row.get(0))
        .optional()?
        .flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn whole_strings_only() {
        let connection = catalog::open_in_memory().unwrap();
        let mut products = Products::default();
        for (text, slug, family) in [
            ("NVIDIA H100 80GB HBM3", "h100-sxm5-80gb", Some("h100")),
            (" nvidia  h100 80gb hbm3 ", "h100-sxm5-80gb", Some("h100")),
            ("NVIDIA H100 PCIe", "h100-pcie-80gb", Some("h100")),
            ("NVIDIA H100 NVL", "h100-nvl-94gb", Some("h100")),
            ("NVIDIA H100", "nvidia-h100", Some("h100")),
            ("NVIDIA H200", "h200-sxm", Some("h200")),
            ("NVIDIA H20", "h20-96gb", Some("h20")),
            ("NVIDIA H20-3e", "nvidia-h20-3e", None),
            ("NVIDIA B200", "b200-sxm", Some("b200")),
            ("NVIDIA GB200", "gb200", Some("gb200")),
            ("NVIDIA B300", "b300-sxm", Some("b300")),
            ("NVIDIA GB300", "gb300", Some("gb300")),
            ("NVIDIA A10", "a10", Some("a10")),
            ("NVIDIA A10G", "a10g", Some("a10g")),
            ("NVIDIA A100", "nvidia-a100", Some("a100")),
            ("NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb", Some("a100")),
            ("NVIDIA L40S MIG 1g", "nvidia-l40s-mig-1g", Some("l40s")),
            (
                "AMD Instinct MI250X/MI250",
                "amd-instinct-mi250x-mi250",
                None,
            ),
            ("GPU of tomorrow", "gpu-of-tomorrow", None),
        ] {
            let product = products.resolve(&connection, text).unwrap();
            assert_eq!(product.slug, slug, "{text}");
            let known: Option<String> = connection
                .query_row(
                    "SELECT family FROM hardware WHERE id = ?1",
                    [product.id],
                    |row| row.get(0),
                )
                .unwrap();
            assert_eq!(known.as_deref(), family, "{text}");
        }
    }
}
