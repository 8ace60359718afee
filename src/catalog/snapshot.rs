//! The exact content of inputs, kept in compressed chunks.

use rusqlite::{Connection, OptionalExtension, params};

use super::identity;
use crate::error::{Error, Result};

/// Content per chunk: large enough to compress well, small enough to stream.
const CHUNK: usize = 1 << 20;

/// zstd level: the default's speed, and timing files shrink about tenfold at it.
const LEVEL: i32 = 3;

/// Content as it is kept.
#[derive(Debug, Clone)]
pub struct Content {
    /// Its digest.
    pub sha256: String,
    /// Its length.
    pub bytes: usize,
    chunks: Vec<Vec<u8>>,
}

impl Content {
    /// Hashes and compresses some bytes.
    pub fn of(bytes: &[u8]) -> Result<Self> {
        Self::hashed(identity::sha256(bytes), bytes)
    }

    /// Compresses bytes whose digest is known.
    pub fn hashed(sha256: String, bytes: &[u8]) -> Result<Self> {
        let failed = |error| Error::failed("compressing a snapshot failed").because(error);
        let mut compressor = zstd::bulk::Compressor::new(LEVEL).map_err(failed)?;
        let chunks = bytes
            .chunks(CHUNK)
            .map(|chunk| {
                let mut packed = compressor.compress(chunk).map_err(failed)?;
                // It has room for bytes that can't be packed.
                packed.shrink_to_fit();
                Ok(packed)
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            sha256,
            bytes: bytes.len(),
            chunks,
        })
    }
}

/// Row of a snapshot, if its content is known.
pub fn find(connection: &Connection, sha256: &str) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT id FROM snapshot WHERE sha256 = ?1")?
        .query_row([sha256], |row| row.get(0))
        .optional()?)
}

/// Keeps content under its digest.
pub fn store(connection: &Connection, content: &Content) -> Result<i64> {
    connection
        .prepare_cached("INSERT INTO snapshot (sha256, bytes) VALUES (?1, ?2)")?
        .execute(params![content.sha256, content.bytes])?;
    let id = connection.last_insert_rowid();
    let mut statement = connection.prepare_cached(
        "INSERT INTO snapshot_chunk (snapshot_id, ordinal, zstd) VALUES (?1, ?2, ?3)",
    )?;
    for (ordinal, packed) in content.chunks.iter().enumerate() {
        statement.execute(params![id, ordinal, packed])?;
    }
    Ok(id)
}

/// The content as it was read.
pub fn content(connection: &Connection, id: i64) -> Result<Vec<u8>> {
    let mut statement = connection.prepare_cached(
        "SELECT zstd FROM snapshot_chunk WHERE snapshot_id = ?1 ORDER BY ordinal",
    )?;
    let mut rows = statement.query([id])?;
    let mut content = Vec::new();
    while let Some(row) = rows.next()? {
        let packed = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        let chunk = zstd::bulk::decompress(packed, CHUNK).map_err(|error| {
            Error::failed("a chunk of a snapshot can't be unpacked").because(error)
        })?;
        content.extend_from_slice(&chunk);
    }
    Ok(content)
}
