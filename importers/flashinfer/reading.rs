//! A whole input read: traces in, runs and issues out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::json::{Node, Value};
use crate::names::quoted;
use crate::{
    AxisValue, Basis, Circumstances, Declared, Figures, Implementation, Input, Issue, Metric,
    Observation, Operation, Place, Protocol, Reading, Refused, Severity, Status, Subject, Terms,
    Workload,
};

use super::definition::{Bound, Definition};
use super::evidence;
use super::identity::{Pool, UNKNOWN, family, reference_of, solution};
use super::site::{Fault, Site};
use super::trace::{self, Trace};
use super::whole::{self, Seen};
use super::{BESIDE, Flavour, definition_paths, definitions, input, performance, protocol};

/// Reads an input.
pub(super) fn read(
    flavour: Flavour,
    input: &Input<'_>,
    declared: &Declared,
) -> Result<Reading, Refused> {
    let mut reader = Reader {
        flavour,
        input,
        declared,
        known: HashMap::new(),
        operations: HashMap::new(),
        texts: Pool::default(),
        software: Pool::default(),
        implementations: Pool::default(),
        protocols: Pool::default(),
        metrics: Pool::default(),
        observations: Vec::new(),
        issues: Vec::new(),
        unread: BTreeSet::new(),
        seen: Seen::default(),
    };
    reader.definitions();
    input::each(input.bytes, |site, node| {
        reader.value(site, node);
        true
    })?;
    reader.finish()
}

struct Reader<'r> {
    flavour: Flavour,
    input: &'r Input<'r>,
    declared: &'r Declared,
    /// Definitions that lie beside, by name.
    known: HashMap<String, Definition>,
    operations: HashMap<String, Arc<Operation>>,
    texts: Pool<str>,
    software: Pool<BTreeMap<String, String>>,
    implementations: Pool<Implementation>,
    protocols: Pool<Protocol>,
    metrics: Pool<Metric>,
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    unread: BTreeSet<String>,
    seen: Seen,
}

impl Reader<'_> {
    /// Takes in the definitions that lie beside the input.
    fn definitions(&mut self) {
        for name in definitions(self.input) {
            let mut paths = definition_paths(&name, self.input.folder);
            paths.push(BESIDE.to_owned());
            for path in paths {
                let Some(bytes) = self.input.beside(&path) else {
                    continue;
                };
                match Definition::find(bytes, &name) {
                    Ok(None) => {}
                    Ok(Some(definition)) => {
                        self.known.insert(name.clone(), definition);
                        break;
                    }
                    Err(why) => self.issues.push(Issue {
                        severity: Severity::Warning,
                        code: "BAD_DEFINITION".to_owned(),
                        place: Place::default(),
                        message: format!("the definition beside it, `{path}`, was not used: {why}"),
                        hint: None,
                        rejects: 0,
                    }),
                }
            }
        }
    }

    /// Takes in one value of the text.
    fn value(&mut self, site: &Site<'_, '_>, node: Result<&Node<'_>, Refused>) {
        let node = match node {
            Ok(node) => node,
            Err(refused) => return self.broken(site, refused),
        };
        let Value::Object(object) = &node.value else {
            let message = format!("{} where a trace was expected", node.value.describe());
            self.other(site, node, message, "a trace is an object");
            return;
        };
        let is_trace = object.get("evaluation").is_some() && object.get("definition").is_some();
        let (what, hint) = input::other(object);
        if !is_trace {
            return self.other(
                site,
                node,
                format!("{what}, where a trace was expected"),
                hint,
            );
        }
        let rejects = trace::records(node);
        match trace::read(node, self.declared.hardware.as_deref()) {
            Ok(trace) => {
                self.seen.traces += 1;
                evidence::unread(node, &mut self.unread);
                self.trace(site, node, trace);
            }
            Err(fault) => {
                let issue = site.issue(fault, rejects);
                // A workload without a result makes no file of traces.
                if issue.code == "NO_TIMING" {
                    let refused = input::not_traces(issue.place.clone(), &what, hint);
                    self.seen.other.get_or_insert(refused);
                } else {
                    self.seen.traces += 1;
                }
                self.issues.push(issue);
            }
        }
    }

    /// A line that is no JSON.
    fn broken(&mut self, site: &Site<'_, '_>, refused: Refused) {
        let mut place = refused.place.clone();
        place.pointer = format!("{}{}", site.pointer, place.pointer);
        self.seen.broken.get_or_insert_with(|| refused.clone());
        self.issues.push(Issue {
            severity: Severity::Error,
            code: refused.code.to_owned(),
            place,
            message: format!("this line can't be read: {}", refused.message),
            hint: refused.hint,
            rejects: 1,
        });
    }

    /// A value that is no trace.
    fn other(&mut self, site: &Site<'_, '_>, node: &Node<'_>, message: String, hint: &'static str) {
        let fault = Fault::error("NOT_A_RECORD", "", node, message).hint(hint);
        let issue = site.issue(fault, 1);
        let refused = input::not_traces(issue.place.clone(), &issue.message, hint);
        self.seen.other.get_or_insert(refused);
        self.issues.push(issue);
    }

    /// The runs of one trace.
    fn trace(&mut self, site: &Site<'_, '_>, node: &Node<'_>, mut trace: Trace<'_, '_>) {
        trace.texts.extend(evidence::tolerance(site, node));
        let subject = self.subject(site, node, &trace);
        let protocol = protocol::protocol(self.flavour, trace.at, trace.fell_back);
        let metric = self.metrics.share(Metric::latency(&protocol.statistic));
        let protocol = self.protocols.share(protocol);
        let hardware = self.texts.text(trace.hardware);
        self.seen.without_device += usize::from(trace.hardware_declared);
        self.seen.cuda_by_driver |= trace.cuda_by_driver;
        self.seen.dated |= protocol.cache.is_some();
        self.seen.without_zone += usize::from(trace.at.is_some_and(|at| !at.zoned));
        let software = (!trace.software.is_empty()).then(|| self.software.share(trace.software));
        let circumstances = |texts| {
            Some(Box::new(Circumstances {
                recorded_at: trace.at.map(|at| at.to_string()),
                software: software.clone(),
                protocol: Some(Arc::clone(&protocol)),
                texts,
            }))
        };
        if let Some(fault) = trace.bad_timestamp {
            self.issues.push(site.issue(fault, 0));
        }
        let observation = |place, implementation, status, figures, texts| Observation {
            place,
            subject: subject.clone(),
            implementation,
            hardware: Arc::clone(&hardware),
            status,
            metric: Arc::clone(&metric),
            figures,
            circumstances: circumstances(texts),
        };
        let solution = self.implementations.share(solution(trace.solution));
        if trace.status != Status::Passed {
            self.observations.push(observation(
                site.place("/evaluation/status", trace.status_at.span.start),
                solution,
                trace.status,
                Figures::default(),
                trace.texts,
            ));
            return;
        }
        let Some(performance) = trace.performance else {
            let message = "it passed, but has no `performance`: no time is stated";
            let fault = Fault::error("NO_TIMING", "/evaluation", node, message);
            self.issues.push(site.issue(fault, 1));
            return;
        };
        let own = performance::latency(performance, performance::OWN).and_then(|own| {
            let missing = || {
                let message = "it passed, but has no `latency_ms`: no time is stated";
                Fault::error("NO_TIMING", performance::PATH, node, message)
            };
            own.ok_or_else(missing).map(Some)
        });
        let mut taken = |stated: Result<_, Fault>| {
            stated.unwrap_or_else(|fault| {
                self.issues.push(site.issue(fault, 1));
                None
            })
        };
        let own = taken(own);
        let reference = taken(performance::reference(performance));
        if let (Some((_, own)), Some((_, reference))) = (&own, &reference)
            && let Some(fault) = performance::clash(performance, own, reference)
        {
            self.issues.push(site.issue(fault, 0));
        }
        let beside = vec![("solution".to_owned(), trace.solution.to_owned())];
        let baseline = self.implementations.share(reference_of(self.flavour));
        let runs = [
            (performance::OWN, own, solution, trace.texts),
            (performance::REFERENCE, reference, baseline, beside),
        ];
        for (field, stated, implementation, texts) in runs {
            if let Some((offset, figures)) = stated {
                let place = site.place(&format!("{}/{field}", performance::PATH), offset);
                let run = observation(place, implementation, Status::Passed, figures, texts);
                self.observations.push(run);
            }
        }
    }

    /// What a trace's runs computed.
    fn subject(&mut self, site: &Site<'_, '_>, node: &Node<'_>, trace: &Trace<'_, '_>) -> Subject {
        let name = trace.definition;
        let operation = self.operation(name);
        let mut axes = trace.workload.axes.clone();
        let bound = self
            .known
            .get(name)
            .map(|known| known.bind(&trace.workload.sizes));
        let Bound {
            given,
            inputs,
            outputs,
            dtype,
        } = bound.unwrap_or_default();
        for (axis, size) in given {
            axes.entry(axis).or_insert(AxisValue::Size(size));
        }
        if self.known.contains_key(name)
            && (inputs.is_none() || outputs.is_none())
            && self.seen.unbound.insert(name.to_owned())
        {
            let message = format!(
                "the definition of {} leaves a shape or an element type open; shapes stay unknown",
                quoted(name)
            );
            let fault = Fault::error("SHAPE_OPEN", "/workload", node, message);
            self.issues
                .push(site.issue(fault.severity(Severity::Note), 0));
        }
        Subject::Stated(Arc::new(Workload {
            operation,
            axes,
            dtype,
            inputs,
            outputs: outputs.unwrap_or_default(),
        }))
    }

    fn operation(&mut self, name: &str) -> Arc<Operation> {
        if let Some(known) = self.operations.get(name) {
            return Arc::clone(known);
        }
        let known = self.known.get(name);
        let op_type = known.and_then(|known| known.op_type.clone());
        let group = op_type.or_else(|| self.group_of_folder(name));
        let operation = Arc::new(Operation {
            suite: self.flavour.source().slug.to_owned(),
            // A definition is named after its op type, where it has one.
            family: family(group.as_deref().unwrap_or(name)).to_owned(),
            group,
            name: name.to_owned(),
            title: name.to_owned(),
            definition: known.and_then(Definition::facts),
        });
        self.operations
            .insert(name.to_owned(), Arc::clone(&operation));
        operation
    }

    /// The op type by the data set's layout: `<op type>/<definition>.jsonl`.
    fn group_of_folder(&self, definition: &str) -> Option<String> {
        let folder = self.input.folder?;
        let named = self.input.file?.strip_suffix(".jsonl") == Some(definition);
        // Any folder may hold such a file: this one has to be called like an op type.
        let called = family(folder) != UNKNOWN
            || (super::is_file_name(folder) && definition.starts_with(&format!("{folder}_")));
        (named && called && self.flavour == Flavour::FlashInfer).then(|| folder.to_owned())
    }

    /// What is said of the whole.
    fn finish(mut self) -> Result<Reading, Refused> {
        if self.seen.traces == 0 {
            let nothing = || input::not_traces(Place::default(), "nothing was found", "");
            return Err(self.seen.other.or(self.seen.broken).unwrap_or_else(nothing));
        }
        self.issues
            .extend(whole::issues(self.declared, &self.unread));
        let rejected = Issue::rejected(&self.issues);
        let provider = self.declared.provider.clone();
        Ok(Reading {
            records: self.observations.len() as u64 + rejected,
            assumptions: self.seen.assumptions(self.flavour, self.declared),
            observations: self.observations,
            issues: self.issues,
            basis: self.declared.basis(Basis::Path),
            provider,
            protocol: protocol::protocol(self.flavour, None, false),
            unit_declared: true,
            terms: Terms::default(),
        })
    }
}
