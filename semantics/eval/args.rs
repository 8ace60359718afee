//! Arguments of what is defined outside the module, bound to a signature that is written
//! as in Python: `input kernel_size stride=None *rest`.

use super::{Object, Reason};

/// What an argument is when it isn't given.
#[derive(Debug, Clone, Copy)]
enum Default {
    Required,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
}

/// Parameter names of an operation or a layer.
#[derive(Debug)]
pub(crate) struct Signature {
    parameters: Vec<(&'static str, Default)>,
    /// Takes all further positional arguments.
    variadic: Option<&'static str>,
    /// How many parameters stand before it.
    variadic_at: Option<usize>,
    /// Whether further keywords are taken.
    takes_keywords: bool,
}

impl Signature {
    /// Reads a signature of the table.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut signature = Self {
            parameters: Vec::new(),
            variadic: None,
            variadic_at: None,
            takes_keywords: false,
        };
        for part in text.split_whitespace() {
            if part.starts_with("**") {
                signature.takes_keywords = true;
                continue;
            }
            if let Some(name) = part.strip_prefix('*') {
                signature.variadic = Some(name);
                signature.variadic_at = Some(signature.parameters.len());
                continue;
            }
            let (name, default) = match part.split_once('=') {
                None => (part, Default::Required),
                Some((name, text)) => (name, default(text)),
            };
            signature.parameters.push((name, default));
        }
        signature
    }

    /// Whether it has a parameter of that name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.0 == name)
    }

    /// Binds arguments; an unknown one makes the result unknown.
    pub(crate) fn bind(
        &self,
        args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Result<Args, Reason> {
        for object in args.iter().chain(keywords.iter().map(|(_, object)| object)) {
            if let Object::Unknown(unknown) = object {
                return Err(Reason::From(unknown.clone()));
            }
        }
        let mut keywords: Vec<(String, Object)> = keywords
            .into_iter()
            .filter(|(name, _)| !WITHOUT_EFFECT.contains(&name.as_str()) || self.takes(name))
            .collect();
        // After a variadic parameter only keywords are left.
        let positional = self.variadic_at.unwrap_or(self.parameters.len());
        let mut args = args.into_iter();
        let mut values = Vec::with_capacity(self.parameters.len());
        for (at, (name, default)) in self.parameters.iter().enumerate() {
            let named = keywords.iter().position(|(keyword, _)| keyword == name);
            let given = match named {
                Some(at) => Some(keywords.remove(at).1),
                None if at < positional => args.next(),
                None => None,
            };
            let value = match (given, default) {
                (Some(value), _) => value,
                (None, Default::Required) => {
                    return Err(format!("argument `{name}` is missing").into());
                }
                (None, Default::None) => Object::None,
                (None, Default::Bool(value)) => Object::Bool(*value),
                (None, Default::Int(value)) => Object::int(*value),
                (None, Default::Float(value)) => Object::Float(*value),
                (None, Default::Str(text)) => Object::str(*text),
            };
            values.push((*name, value));
        }
        let mut rest: Vec<Object> = args.collect();
        if let Some(variadic) = self.variadic {
            if let Some(at) = keywords.iter().position(|(name, _)| name == variadic) {
                rest.push(keywords.remove(at).1);
            }
        } else if !rest.is_empty() {
            return Err("more arguments than the rule knows".into());
        }
        if self.takes_keywords {
            return Ok(Args {
                values,
                rest,
                named: keywords,
            });
        }
        if let Some((name, _)) = keywords.first() {
            return Err(format!("argument `{name}` has no rule").into());
        }
        Ok(Args {
            values,
            rest,
            named: keywords,
        })
    }
}

/// Keywords that change neither shape, dtype nor work.
const WITHOUT_EFFECT: &[&str] = &[
    "device",
    "generator",
    "layout",
    "memory_format",
    "non_blocking",
    "pin_memory",
    "requires_grad",
    "_stacklevel",
];

fn default(text: &'static str) -> Default {
    match text {
        "None" => Default::None,
        "True" => Default::Bool(true),
        "False" => Default::Bool(false),
        _ => match (text.parse(), text.parse()) {
            (Ok(value), _) => Default::Int(value),
            (_, Ok(value)) => Default::Float(value),
            _ => Default::Str(text),
        },
    }
}

/// Bound arguments.
#[derive(Debug)]
pub(crate) struct Args {
    /// Every parameter of the signature, given or not.
    pub(crate) values: Vec<(&'static str, Object)>,
    /// What the variadic parameter took.
    pub(crate) rest: Vec<Object>,
    /// Further keywords, where the signature takes them.
    pub(crate) named: Vec<(String, Object)>,
}

impl Args {
    /// An argument; `None` stands for one that the signature doesn't have.
    pub(crate) fn get(&self, name: &str) -> &Object {
        const NONE: &Object = &Object::None;
        self.values
            .iter()
            .find(|value| value.0 == name)
            .map_or(NONE, |value| &value.1)
    }
}
