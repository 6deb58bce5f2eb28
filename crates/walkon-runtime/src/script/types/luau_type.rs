//! Translates Luau types into the language of `---@` annotations.
//!
//! In: the types of the table. Out: the same for the Lua language server. Holds: a type that is not
//! understood is left as it stands, which the tests refuse.

/// A Luau type, as far as the table uses the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A name or a text in quotes.
    Name(String),
    /// `T?`.
    Optional(Box<Type>),
    /// `A | B`.
    Union(Vec<Type>),
    /// `{T}`.
    List(Box<Type>),
    /// `{[K]: V}`.
    Map(Box<Type>, Box<Type>),
    /// `{ name: T, ... }`.
    Record(Vec<(String, Type)>),
    /// `(a: T) -> R`.
    Function(Vec<(String, Type)>, Vec<Type>),
}

/// Reads a type; none when something is left over or missing.
pub fn read(text: &str) -> Option<Type> {
    let mut reader = TypeReader { rest: text.trim() };
    let found = reader.union()?;
    reader.rest.is_empty().then_some(found)
}

struct TypeReader<'a> {
    rest: &'a str,
}

impl<'a> TypeReader<'a> {
    fn take(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    fn union(&mut self) -> Option<Type> {
        let mut parts = vec![self.postfix()?];
        // Bounded by the length of the text: each round reads a bar and a type.
        while self.take("|") {
            parts.push(self.postfix()?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(Type::Union(parts)) }
    }

    fn postfix(&mut self) -> Option<Type> {
        let mut found = self.simple()?;
        if self.take("?") {
            found = Type::Optional(Box::new(found));
        }
        Some(found)
    }

    fn simple(&mut self) -> Option<Type> {
        if self.rest.starts_with('"') {
            let end = self.rest[1..].find('"')? + 2;
            let text = self.rest[..end].to_owned();
            self.rest = self.rest[end..].trim_start();
            return Some(Type::Name(text));
        }
        if self.take("{") {
            return self.table();
        }
        if self.take("...") {
            return self.word().map(|word| Type::Name(word.to_owned()));
        }
        if self.rest.starts_with('(') {
            return self.parenthesis();
        }
        self.word().map(|word| Type::Name(word.to_owned()))
    }

    fn table(&mut self) -> Option<Type> {
        if self.take("[") {
            let key = self.union()?;
            let value = (self.take("]") && self.take(":")).then(|| self.union())??;
            return self.take("}").then(|| Type::Map(Box::new(key), Box::new(value)));
        }
        let before = self.rest;
        if let Some(record) = self.record() {
            return Some(record);
        }
        self.rest = before;
        let entry = self.union()?;
        self.take("}").then(|| Type::List(Box::new(entry)))
    }

    fn record(&mut self) -> Option<Type> {
        let mut fields = Vec::new();
        // Bounded by the length of the text: each round reads a field.
        while !self.take("}") {
            self.take("read ");
            let name = self.word()?.to_owned();
            if !self.take(":") {
                return None;
            }
            fields.push((name, self.union()?));
            self.take(",");
        }
        Some(Type::Record(fields))
    }

    /// A type in parentheses, or a function.
    fn parenthesis(&mut self) -> Option<Type> {
        let params = self.list()?;
        if !self.take("->") {
            let mut params = params;
            return if params.len() == 1 { params.pop().map(|(_, own)| own) } else { None };
        }
        let returns = if self.rest.starts_with('(') {
            self.list()?.into_iter().map(|(_, own)| own).collect()
        } else {
            vec![self.postfix()?]
        };
        Some(Type::Function(params, returns))
    }

    /// `(name: type, type)`.
    fn list(&mut self) -> Option<Vec<(String, Type)>> {
        let mut entries = Vec::new();
        if !self.take("(") {
            return None;
        }
        // Bounded by the length of the text: each round reads an entry.
        while !self.take(")") {
            let before = self.rest;
            let name = match self.word() {
                Some(name) if self.take(":") => name.to_owned(),
                _ => {
                    self.rest = before;
                    format!("value{}", entries.len() + 1)
                }
            };
            entries.push((name, self.union()?));
            self.take(",");
        }
        Some(entries)
    }
}

impl Type {
    /// The type as annotations write it.
    pub fn annotated(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Optional(inner) => format!("{}?", inner.grouped()),
            Self::Union(parts) => parts.iter().map(Self::grouped_function).collect::<Vec<_>>().join("|"),
            Self::List(entry) => format!("{}[]", entry.grouped()),
            Self::Map(key, value) => format!("table<{}, {}>", key.annotated(), value.annotated()),
            Self::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, own)| format!("{name}: {}", own.annotated())).collect();
                format!("{{ {} }}", fields.join(", "))
            }
            Self::Function(params, returns) => {
                let params: Vec<String> =
                    params.iter().map(|(name, own)| format!("{name}: {}", own.annotated())).collect();
                let returns: Vec<String> = returns.iter().map(Self::annotated).collect();
                let returned =
                    if returns.is_empty() { String::new() } else { format!(": {}", returns.join(", ")) };
                format!("fun({}){returned}", params.join(", "))
            }
        }
    }

    fn grouped(&self) -> String {
        match self {
            Self::Union(_) | Self::Function(..) | Self::Optional(_) => format!("({})", self.annotated()),
            _ => self.annotated(),
        }
    }

    fn grouped_function(&self) -> String {
        match self {
            Self::Function(..) => format!("({})", self.annotated()),
            _ => self.annotated(),
        }
    }
}
