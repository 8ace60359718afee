//! Git repositories of our own, written object by object: fixed authors, dates, zones.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Commit, Kind, Tag, Tree};

/// Path and content of each file.
pub type Files<'a> = &'a [(&'a str, &'a str)];

/// A repository that grows.
pub struct Repo {
    inner: gix::Repository,
}

impl Repo {
    /// With a working folder.
    pub fn checkout(path: &Path) -> Self {
        Self::init(path, gix::create::Kind::WithWorktree)
    }

    /// Without one.
    pub fn bare(path: &Path) -> Self {
        Self::init(path, gix::create::Kind::Bare)
    }

    fn init(path: &Path, kind: gix::create::Kind) -> Self {
        fs::create_dir_all(path).unwrap();
        let inner = gix::ThreadSafeRepository::init_opts(
            path,
            kind,
            gix::create::Options::default(),
            gix::open::Options::isolated(),
        )
        .unwrap()
        .to_thread_local();
        let repo = Self { inner };
        repo.write("HEAD", "ref: refs/heads/main\n");
        repo
    }

    /// Where it keeps its own files.
    pub fn git_dir(&self) -> PathBuf {
        self.inner.git_dir().to_owned()
    }

    /// Writes one of its own files.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.git_dir().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Points a reference at an object.
    pub fn set(&self, name: &str, id: ObjectId) {
        self.write(name, format!("{id}\n"));
    }

    /// The object that a reference points at.
    pub fn tip(&self, name: &str) -> Option<ObjectId> {
        let text = fs::read_to_string(self.git_dir().join(name)).ok()?;
        Some(ObjectId::from_hex(text.trim().as_bytes()).unwrap())
    }

    /// Writes a blob.
    pub fn blob(&self, content: impl AsRef<[u8]>) -> ObjectId {
        self.inner.write_blob(content).unwrap().detach()
    }

    /// Writes a tree of entries of any kind and name.
    pub fn entries(&self, entries: &[(&[u8], EntryKind, ObjectId)]) -> ObjectId {
        let mut entries: Vec<Entry> = entries
            .iter()
            .map(|(name, kind, oid)| Entry {
                mode: (*kind).into(),
                filename: name.to_vec().into(),
                oid: *oid,
            })
            .collect();
        entries.sort();
        self.inner.write_object(Tree { entries }).unwrap().detach()
    }

    /// Writes the tree of some files.
    pub fn tree(&self, files: Files<'_>) -> ObjectId {
        let mut here = Vec::new();
        let mut below: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for (path, content) in files {
            match path.split_once('/') {
                Some((folder, rest)) => below.entry(folder).or_default().push((rest, *content)),
                None => here.push((path.as_bytes(), EntryKind::Blob, self.blob(content))),
            }
        }
        for (folder, files) in &below {
            here.push((folder.as_bytes(), EntryKind::Tree, self.tree(files)));
        }
        self.entries(&here)
    }

    /// Writes a commit; committed a year after it was written.
    pub fn commit_tree(&self, tree: ObjectId, parents: &[ObjectId], authored: &str) -> ObjectId {
        let at = chrono::DateTime::parse_from_rfc3339(authored).unwrap();
        let offset = at.offset().local_minus_utc();
        self.commit_at(tree, parents, at.timestamp(), offset)
    }

    /// The same by seconds since 1970 and offset from UTC.
    pub fn commit_at(
        &self,
        tree: ObjectId,
        parents: &[ObjectId],
        seconds: i64,
        offset: i32,
    ) -> ObjectId {
        let signed = |seconds| gix::actor::Signature {
            name: "A. Tester".into(),
            email: "tester@example.org".into(),
            time: gix::date::Time { seconds, offset },
        };
        let commit = Commit {
            tree,
            parents: parents.iter().copied().collect(),
            author: signed(seconds),
            committer: signed(seconds.saturating_add(365 * 86_400)),
            encoding: None,
            message: "A commit".into(),
            extra_headers: Vec::new(),
        };
        self.inner.write_object(commit).unwrap().detach()
    }

    /// Writes a commit on top of a branch and moves the branch.
    pub fn on(&self, branch: &str, files: Files<'_>, authored: &str) -> ObjectId {
        self.on_tree(branch, self.tree(files), authored)
    }

    /// The same with a tree.
    pub fn on_tree(&self, branch: &str, tree: ObjectId, authored: &str) -> ObjectId {
        let name = format!("refs/heads/{branch}");
        let parents: Vec<ObjectId> = self.tip(&name).into_iter().collect();
        let commit = self.commit_tree(tree, &parents, authored);
        self.set(&name, commit);
        commit
    }

    /// Writes an annotated tag of anything.
    pub fn tag(&self, name: &str, target: ObjectId, target_kind: Kind) {
        let tag = Tag {
            target,
            target_kind,
            name: name.into(),
            tagger: None,
            message: "A tag".into(),
            signature: None,
        };
        let id = self.inner.write_object(tag).unwrap().detach();
        self.set(&format!("refs/tags/{name}"), id);
    }

    /// Writes files into the working folder.
    pub fn check_out(&self, files: Files<'_>) {
        for (path, content) in files {
            let path = self.inner.workdir().unwrap().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    /// Where an object lies by itself.
    pub fn loose(&self, id: ObjectId) -> PathBuf {
        let hex = id.to_string();
        self.git_dir()
            .join("objects")
            .join(&hex[..2])
            .join(&hex[2..])
    }

    /// Moves every object into one pack.
    pub fn pack(&self) {
        let objects = self.git_dir().join("objects");
        let mut ids: Vec<ObjectId> = walkdir::WalkDir::new(&objects)
            .into_iter()
            .filter_map(|entry| {
                let path = entry.unwrap().into_path();
                let name = path.strip_prefix(&objects).unwrap().to_str().unwrap();
                ObjectId::from_hex(name.replace('/', "").as_bytes()).ok()
            })
            .collect();
        ids.sort();
        let (pack, places) = self.packed(&ids);
        let name = format!("pack/pack-{}", sha1(&pack));
        let index = index(&ids, &places, &pack[pack.len() - 20..]);
        self.write(&format!("objects/{name}.pack"), pack);
        self.write(&format!("objects/{name}.idx"), index);
        for id in ids {
            fs::remove_file(self.loose(id)).unwrap();
        }
    }

    /// A pack, with offset and checksum of each entry.
    fn packed(&self, ids: &[ObjectId]) -> (Vec<u8>, Vec<(u32, u32)>) {
        let mut pack = b"PACK\0\0\0\x02".to_vec();
        pack.extend(u32::try_from(ids.len()).unwrap().to_be_bytes());
        let mut places = Vec::new();
        for id in ids {
            let object = self.inner.find_object(*id).unwrap();
            let kind: u8 = match object.kind {
                Kind::Commit => 1,
                Kind::Tree => 2,
                Kind::Blob => 3,
                Kind::Tag => 4,
            };
            let mut size = object.data.len();
            let mut entry = vec![kind << 4 | u8::try_from(size & 15).unwrap()];
            size >>= 4;
            while size > 0 {
                *entry.last_mut().unwrap() |= 0x80;
                entry.push(u8::try_from(size & 0x7f).unwrap());
                size >>= 7;
            }
            let mut zlib = flate2::write::ZlibEncoder::new(entry, flate2::Compression::default());
            zlib.write_all(&object.data).unwrap();
            let entry = zlib.finish().unwrap();
            let mut crc = flate2::Crc::new();
            crc.update(&entry);
            places.push((u32::try_from(pack.len()).unwrap(), crc.sum()));
            pack.extend(entry);
        }
        let sum = sha1(&pack);
        pack.extend(sum.as_slice());
        (pack, places)
    }
}

/// The index of a pack, version 2.
fn index(ids: &[ObjectId], places: &[(u32, u32)], pack_sum: &[u8]) -> Vec<u8> {
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for first in 0..=255 {
        let up_to = ids.iter().filter(|id| id.first_byte() <= first).count();
        index.extend(u32::try_from(up_to).unwrap().to_be_bytes());
    }
    for id in ids {
        index.extend(id.as_slice());
    }
    for (_, crc) in places {
        index.extend(crc.to_be_bytes());
    }
    for (offset, _) in places {
        index.extend(offset.to_be_bytes());
    }
    index.extend(pack_sum);
    let sum = sha1(&index);
    index.extend(sum.as_slice());
    index
}

fn sha1(bytes: &[u8]) -> ObjectId {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(bytes);
    hasher.try_finalize().unwrap()
}
