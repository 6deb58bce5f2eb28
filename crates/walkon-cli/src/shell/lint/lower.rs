//! Lowers a syntax tree to the tree that rules read.
//!
//! In: the text of a script that compiles. Out: a [`SyntaxTree`]. Holds: names are told apart by scope, as
//! the language does it. Not here: expressions (`lower_expr`).

use full_moon::ast::luau::TypeSpecifier;
use full_moon::ast::{self, Block, LastStmt, Stmt};
use full_moon::tokenizer::{Symbol, TokenReference, TokenType};

use super::tree::{
    Assigned, BODY, Endless, Expr, ExprId, ExprKind, FieldWrite, Function, FunctionId, GlobalWrite, Local,
    LocalId, SyntaxTree, TextPlace, ValueUse, Word,
};
use crate::script::vm::readable;
use crate::shell::lint::tree::FunctionForm;

/// The tree of a script; none when it is not understood, as with syntax that is newer than the parser.
pub(super) fn lower(text: &str) -> Option<SyntaxTree> {
    let parsed = full_moon::parse(&readable(text)).ok()?;
    let mut lower =
        Lower { tree: SyntaxTree::default(), scopes: vec![Vec::new()], function: BODY, loops: Vec::new() };
    let body = Function { params: Vec::new(), is_method: false, made_by: None, returns: Vec::new() };
    lower.tree.functions.push(body);
    lower.block(parsed.nodes());
    Some(lower.tree.indexed())
}

pub(super) struct Lower {
    pub(super) tree: SyntaxTree,
    /// Locals that can be seen, innermost scope last.
    scopes: Vec<Vec<LocalId>>,
    /// The function that is being read.
    pub(super) function: FunctionId,
    /// The loops around what is being read, with their functions; an endless one with its number.
    loops: Vec<(FunctionId, Option<usize>)>,
}

/// Types as written in `---@param name type` and `---@type type` above a statement.
#[derive(Default)]
pub(super) struct Notes {
    params: Vec<(String, String)>,
    own: Option<String>,
}

impl Notes {
    pub(super) fn above(token: &TokenReference) -> Self {
        let mut notes = Self::default();
        for trivia in token.leading_trivia() {
            let TokenType::SingleLineComment { comment } = trivia.token_type() else { continue };
            let Some(rest) = comment.strip_prefix("-@") else { continue };
            let mut words = rest.splitn(3, ' ');
            match (words.next(), words.next(), words.next()) {
                (Some("param"), Some(name), Some(own)) => {
                    notes.params.push((name.trim_end_matches('?').to_owned(), first_type(own)));
                }
                (Some("type"), Some(own), _) => notes.own = Some(own.to_owned()),
                _ => {}
            }
        }
        notes
    }

    fn of(&self, name: &str) -> Option<String> {
        self.params.iter().find(|(param, _)| param == name).map(|(_, own)| own.clone())
    }
}

/// A type at the beginning of a comment, before what is said of it. Only plain names are taken.
fn first_type(text: &str) -> String {
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

pub(super) fn word_of(token: &TokenReference) -> Word {
    let text = match token.token_type() {
        TokenType::Identifier { identifier } => identifier.to_string(),
        _ => token.token().to_string(),
    };
    Word { text, place: place_of(token) }
}

/// Where a token stands.
pub(super) fn place_of(token: &TokenReference) -> TextPlace {
    let (start, end) = (token.token().start_position(), token.token().end_position());
    TextPlace {
        line: start.line() as u32,
        column: start.character() as u32,
        start: start.bytes() as u32,
        end: end.bytes() as u32,
    }
}

fn type_text(specifier: Option<&TypeSpecifier>) -> Option<String> {
    specifier.map(|specifier| specifier.type_info().to_string().trim().to_owned())
}

impl Lower {
    pub(super) fn push(&mut self, kind: ExprKind, place: TextPlace) -> ExprId {
        let id = ExprId(self.tree.exprs.len() as u32);
        self.tree.exprs.push(Expr { kind, place, function: self.function, used: ValueUse::Other });
        id
    }

    pub(super) fn used(&mut self, id: ExprId, used: ValueUse) {
        self.tree.exprs[id.0 as usize].used = used;
    }

    fn declare(&mut self, name: String, given: Vec<Assigned>, annotation: Option<String>) -> LocalId {
        let id = LocalId(self.tree.locals.len() as u32);
        self.tree.locals.push(Local { name, given, annotation });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(id);
        }
        id
    }

    /// The local that a name means here; none for a global.
    pub(super) fn find(&self, name: &str) -> Option<LocalId> {
        let mut seen = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        seen.find(|id| self.tree.local(**id).name == name).copied()
    }

    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        self.scopes.push(Vec::new());
        inside(self);
        self.scopes.pop();
    }

    pub(super) fn block(&mut self, block: &Block) {
        for statement in block.stmts() {
            self.statement(statement);
        }
        match block.last_stmt() {
            Some(LastStmt::Return(given)) => {
                let values: Vec<ExprId> = given.returns().iter().map(|value| self.expr(value)).collect();
                self.tree.functions[self.function.0 as usize].returns.push(values);
                let of_function = self.loops.iter().filter(|(function, _)| *function == self.function);
                for index in of_function.filter_map(|(_, endless)| *endless) {
                    self.tree.endless[index].is_left = true;
                }
            }
            Some(LastStmt::Break(_)) => {
                if let Some(index) = self.loops.last().and_then(|(_, endless)| *endless) {
                    self.tree.endless[index].is_left = true;
                }
            }
            _ => {}
        }
    }

    /// A loop; one that never ends by its condition is remembered by the word it begins with.
    fn looped(&mut self, endless: Option<TextPlace>, inside: impl FnOnce(&mut Self)) {
        let first = self.tree.exprs.len() as u32;
        let index = endless.map(|place| {
            let function = self.function;
            self.tree.endless.push(Endless { place, function, inside: (first, first), is_left: false });
            self.tree.endless.len() - 1
        });
        self.loops.push((self.function, index));
        self.scoped(inside);
        self.loops.pop();
        if let Some(index) = index {
            self.tree.endless[index].inside.1 = self.tree.exprs.len() as u32;
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assignment(own) => self.assignment(own),
            Stmt::CompoundAssignment(own) => {
                let value = self.expr(own.rhs());
                let target = self.var(own.lhs());
                let sum = self.push(ExprKind::Sum(vec![target, value]), self.tree.place(target));
                // It is read and written: looked at once all the same.
                match (own.lhs(), self.tree.kind(target).clone()) {
                    (ast::Var::Name(_), _) => self.write(own.lhs(), Some(sum)),
                    (_, ExprKind::Field(object, name)) => self.write_field(object, name, Some(sum)),
                    (_, ExprKind::Index(object, key)) => self.tree.key_writes.push((object, key)),
                    _ => {}
                }
            }
            Stmt::Do(own) => self.scoped(|lower| lower.block(own.block())),
            Stmt::FunctionCall(call) => {
                let call = self.call(call);
                self.used(call, ValueUse::Dropped);
            }
            Stmt::FunctionDeclaration(own) => self.function_declaration(own),
            Stmt::LocalFunction(own) => {
                let notes = Notes::above(own.local_token());
                self.local_function(own.name(), own.body(), &notes);
            }
            Stmt::ConstFunction(own) => {
                let notes = Notes::above(own.const_token());
                self.local_function(own.name(), own.body(), &notes);
            }
            Stmt::LocalAssignment(own) => {
                let notes = Notes::above(own.local_token());
                let types: Vec<_> = own.type_specifiers().map(type_text).collect();
                let names: Vec<Word> = own.names().iter().map(word_of).collect();
                self.locals(names, types, own.expressions().iter(), &notes);
            }
            Stmt::ConstAssignment(own) => {
                let notes = Notes::above(own.const_token());
                let types: Vec<_> = own.type_specifiers().map(type_text).collect();
                let names: Vec<Word> = own.names().iter().map(word_of).collect();
                self.locals(names, types, own.expressions().iter(), &notes);
            }
            Stmt::If(own) => self.branches(own),
            Stmt::While(own) => self.while_loop(own),
            Stmt::Repeat(own) => self.repeat_loop(own),
            Stmt::NumericFor(own) => self.numeric_for(own),
            Stmt::GenericFor(own) => self.generic_for(own),
            // Types have no values; `goto` and labels are no Luau.
            _ => {}
        }
    }

    /// A loop of `while`; endless when its condition is a constant that holds.
    fn while_loop(&mut self, own: &ast::While) {
        let condition = self.expr(own.condition());
        let is_endless = matches!(
            self.tree.kind(condition),
            ExprKind::Bool(true)
                | ExprKind::Number(_)
                | ExprKind::Text(_)
                | ExprKind::Table(_)
                | ExprKind::Function(_)
        );
        let endless = is_endless.then(|| place_of(own.while_token()));
        self.looped(endless, |lower| lower.block(own.block()));
    }

    /// A loop of `repeat`; endless when its condition is `false` or `nil`.
    fn repeat_loop(&mut self, own: &ast::Repeat) {
        let is_endless = matches!(own.until(), ast::Expression::Symbol(token)
            if matches!(token.token_type(), TokenType::Symbol { symbol: Symbol::False | Symbol::Nil }));
        self.looped(is_endless.then(|| place_of(own.repeat_token())), |lower| {
            lower.block(own.block());
            lower.expr(own.until());
        });
    }

    /// A loop over numbers.
    fn numeric_for(&mut self, own: &ast::NumericFor) {
        for bound in [Some(own.start()), Some(own.end()), own.step()].into_iter().flatten() {
            self.expr(bound);
        }
        self.looped(None, |lower| {
            let name = word_of(own.index_variable()).text;
            lower.declare(name, vec![Assigned::Unknown], Some("number".to_owned()));
            lower.block(own.block());
        });
    }

    /// A loop over the values of an iterator.
    fn generic_for(&mut self, own: &ast::GenericFor) {
        let over: Vec<ExprId> = own.expressions().iter().map(|value| self.expr(value)).collect();
        self.tree.loops.extend(over.first());
        let names: Vec<Word> = own.names().iter().map(word_of).collect();
        self.looped(None, |lower| {
            for (index, name) in names.into_iter().enumerate() {
                let given = match over.as_slice() {
                    [one] => Assigned::Loop(*one, index),
                    _ => Assigned::Unknown,
                };
                lower.declare(name.text, vec![given], None);
            }
            lower.block(own.block());
        });
    }

    fn branches(&mut self, own: &ast::If) {
        self.expr(own.condition());
        self.scoped(|lower| lower.block(own.block()));
        for branch in own.else_if().into_iter().flatten() {
            self.expr(branch.condition());
            self.scoped(|lower| lower.block(branch.block()));
        }
        if let Some(block) = own.else_block() {
            self.scoped(|lower| lower.block(block));
        }
    }

    fn locals<'a>(
        &mut self,
        names: Vec<Word>,
        types: Vec<Option<String>>,
        values: impl Iterator<Item = &'a ast::Expression>,
        notes: &Notes,
    ) {
        let values: Vec<ExprId> = values.map(|value| self.expr_noted(value, notes)).collect();
        for (index, name) in names.into_iter().enumerate() {
            let given = given_at(&self.tree, &values, index);
            let own = types.get(index).cloned().flatten();
            let own = own.or_else(|| notes.own.clone().filter(|_| index == 0));
            // `local x` alone gives nothing: later assignments count.
            self.declare(name.text, given.into_iter().collect(), own);
        }
    }

    fn assignment(&mut self, own: &ast::Assignment) {
        let values: Vec<ExprId> = own.expressions().iter().map(|value| self.expr(value)).collect();
        for (index, target) in own.variables().iter().enumerate() {
            match given_at(&self.tree, &values, index) {
                Some(Assigned::Value(value)) => self.write(target, Some(value)),
                Some(Assigned::Result(call, result)) => {
                    self.write(target, None);
                    self.give(target, Assigned::Result(call, result));
                }
                _ => self.write(target, None),
            }
        }
    }

    /// A local is given more than its declaration says.
    fn give(&mut self, target: &ast::Var, given: Assigned) {
        if let ast::Var::Name(name) = target
            && let Some(local) = self.find(&word_of(name).text)
        {
            self.tree.locals[local.0 as usize].given.push(given);
        }
    }

    /// A value is written to a variable or field; none when it is not known.
    fn write(&mut self, target: &ast::Var, value: Option<ExprId>) {
        match target {
            ast::Var::Name(token) => {
                let name = word_of(token);
                match self.find(&name.text) {
                    Some(_) => self.give(target, value.map_or(Assigned::Unknown, Assigned::Value)),
                    None => self.write_global(name, value),
                }
            }
            ast::Var::Expression(own) => {
                let written = self.var_expression(own);
                match self.tree.kind(written).clone() {
                    ExprKind::Field(object, name) => {
                        // It is written, not read.
                        self.tree.exprs[written.0 as usize].kind = ExprKind::Test;
                        self.write_field(object, name, value);
                    }
                    ExprKind::Index(object, key) => self.tree.key_writes.push((object, key)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn write_global(&mut self, name: Word, value: Option<ExprId>) {
        if let Some(value) = value {
            self.used(value, ValueUse::Global(name.text.clone()));
        }
        self.tree.global_writes.push(GlobalWrite { name, value });
    }

    fn write_field(&mut self, object: ExprId, name: Word, value: Option<ExprId>) {
        if let Some(value) = value {
            self.used(value, ValueUse::Field(object, name.text.clone()));
        }
        if matches!(self.tree.kind(object), ExprKind::Global(own) if own == "_G") {
            self.tree.global_writes.push(GlobalWrite { name: name.clone(), value });
        }
        self.tree.field_writes.push(FieldWrite { object, name, value });
    }

    fn local_function(&mut self, name: &TokenReference, body: &ast::FunctionBody, notes: &Notes) {
        // The function can see its own name.
        let local = self.declare(word_of(name).text, Vec::new(), None);
        let value = self.function(body, place_of(name), FunctionForm::Plain, notes);
        self.tree.locals[local.0 as usize].given.push(Assigned::Value(value));
    }

    fn function_declaration(&mut self, own: &ast::FunctionDeclaration) {
        let notes = Notes::above(own.function_token());
        let mut path: Vec<Word> = own.name().names().iter().map(word_of).collect();
        let method = own.name().method_name().map(word_of);
        let form = if method.is_some() { FunctionForm::Method } else { FunctionForm::Plain };
        path.extend(method);
        let Some(last) = path.pop() else { return };
        let value = self.function(own.body(), last.place, form, &notes);
        let mut names = path.into_iter();
        let Some(first) = names.next() else {
            match self.find(&last.text) {
                Some(local) => {
                    self.tree.locals[local.0 as usize].given.push(Assigned::Value(value));
                }
                None => self.write_global(last, Some(value)),
            }
            return;
        };
        let mut object = self.name(&first);
        for name in names {
            let place = name.place;
            object = self.push(ExprKind::Field(object, name), place);
        }
        self.write_field(object, last, Some(value));
    }

    /// A function and everything in it.
    pub(super) fn function(
        &mut self,
        body: &ast::FunctionBody,
        place: TextPlace,
        form: FunctionForm,
        notes: &Notes,
    ) -> ExprId {
        let id = FunctionId(self.tree.functions.len() as u32);
        let is_method = form == FunctionForm::Method;
        let made = Function { params: Vec::new(), is_method, made_by: None, returns: Vec::new() };
        self.tree.functions.push(made);
        let outer = std::mem::replace(&mut self.function, id);
        self.scopes.push(Vec::new());
        let names = body.parameters().iter().filter_map(|param| match param {
            ast::Parameter::Name(token) => Some(word_of(token).text),
            _ => None,
        });
        let types: Vec<Option<String>> = body.type_specifiers().map(type_text).collect();
        let own = is_method.then(|| ("self".to_owned(), None));
        let named = names.enumerate().map(|(index, name)| (name, types.get(index).cloned().flatten()));
        let all: Vec<(String, Option<String>)> = own.into_iter().chain(named).collect();
        for (index, (name, annotation)) in all.into_iter().enumerate() {
            let annotation = annotation.or_else(|| notes.of(&name));
            let local = self.declare(name, vec![Assigned::Param(id, index)], annotation);
            self.tree.functions[id.0 as usize].params.push(local);
        }
        self.block(body.block());
        self.scopes.pop();
        self.function = outer;
        let made_by = self.push(ExprKind::Function(id), place);
        self.tree.functions[id.0 as usize].made_by = Some(made_by);
        made_by
    }
}

/// The value that the variable at `index` gets out of a list of values; none when there are none.
fn given_at(tree: &SyntaxTree, values: &[ExprId], index: usize) -> Option<Assigned> {
    if let Some(value) = values.get(index) {
        return Some(Assigned::Value(*value));
    }
    let last = *values.last()?;
    match tree.kind(last) {
        ExprKind::Call(..) | ExprKind::Method(..) => Some(Assigned::Result(last, index - (values.len() - 1))),
        ExprKind::Rest => Some(Assigned::Unknown),
        _ => None,
    }
}
