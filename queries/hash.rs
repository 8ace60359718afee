//! Maps that are asked for every run of an import, or of an answer, often several times. The
//! standard library's hash takes a tenth of such an import; this one guards against keys made
//! to collide, too.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map by a quicker hash.
pub type Map<K, V> = HashMap<K, V, RandomState>;

/// A set by a quicker hash.
pub type Set<K> = HashSet<K, RandomState>;
