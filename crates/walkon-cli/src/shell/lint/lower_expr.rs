//! Lowers expressions of a syntax tree to the tree that rules read.
//!
//! In: expressions. Out: entries of the list of a [`Tree`](super::tree::Tree). Holds: each expression is
//! looked at once; where it stands follows from its parts, because asking the parser for the place of a node
//! looks through everything inside it, which takes twice as long with each level of nesting. Not here:
//! statements (`lower`).

use full_moon::ast::span::ContainedSpan;
use full_moon::ast::{self, BinOp, Call, Expression, Field, FunctionArgs, Index, Prefix, Suffix, UnOp, Var};
use full_moon::node::Node;
use full_moon::tokenizer::{StringLiteralQuoteType, Symbol, TokenReference, TokenType};

use super::lower::{Lower, Notes, place_of, word_of};
use super::tree::{ExprId, ExprKind, TableItem, TextPlace, ValueUse, Word};
use crate::shell::lint::tree::FunctionForm;

impl Lower {
    pub(super) fn expr(&mut self, expression: &Expression) -> ExprId {
        self.expr_noted(expression, &Notes::default())
    }

    /// An expression whose types were noted above it.
    pub(super) fn expr_noted(&mut self, expression: &Expression, notes: &Notes) -> ExprId {
        self.spanned(expression, notes).0
    }

    fn plain(&mut self, expression: &Expression) -> (ExprId, TextPlace) {
        self.spanned(expression, &Notes::default())
    }

    fn made(&mut self, kind: ExprKind, place: TextPlace) -> (ExprId, TextPlace) {
        (self.push(kind, place), place)
    }

    /// An expression, and where it stands with the parentheses around it.
    fn spanned(&mut self, expression: &Expression, notes: &Notes) -> (ExprId, TextPlace) {
        match expression {
            Expression::BinaryOperator { lhs, binop, rhs } => {
                let ((left, from), (right, to)) = (self.plain(lhs), self.plain(rhs));
                if matches!(binop, BinOp::TwoEqual(_) | BinOp::TildeEqual(_)) {
                    self.tree.compared.push((left, right));
                }
                self.made(binary(binop, left, right), from.to(to))
            }
            Expression::Parentheses { contained, expression } => (self.expr(expression), between(contained)),
            Expression::UnaryOperator { unop, expression } => {
                let (value, to) = self.plain(expression);
                let kind = match unop {
                    UnOp::Minus(_) => ExprKind::Minus(value),
                    UnOp::Hash(_) => ExprKind::Sum(Vec::new()),
                    _ => ExprKind::Test,
                };
                self.made(kind, place_of(unop.token()).to(to))
            }
            Expression::Function(own) => {
                let id =
                    self.function(own.body(), place_of(own.function_token()), FunctionForm::Plain, notes);
                (id, place_of(own.function_token()).to(place_of(own.body().end_token())))
            }
            Expression::FunctionCall(call) => self.call_spanned(call),
            Expression::IfExpression(own) => self.choice(own),
            Expression::InterpolatedString(own) => {
                for part in own.expressions() {
                    self.expr(part);
                }
                let last = place_of(own.last_string());
                let place = own.segments().next().map_or(last, |first| place_of(&first.literal).to(last));
                let nothing = self.push(ExprKind::Nil, place);
                self.made(ExprKind::Join(nothing), place)
            }
            Expression::TableConstructor(own) => self.table(own),
            Expression::Number(token) => self.made(number(token), place_of(token)),
            Expression::String(token) => self.made(text(token), place_of(token)),
            Expression::Symbol(token) => self.made(symbol(token), place_of(token)),
            Expression::TypeAssertion { expression, type_assertion } => {
                let (_, from) = self.plain(expression);
                let last = type_assertion.cast_to().tokens().next_back();
                let place = last.map_or(from, |last| from.to(place_of(last)));
                self.made(ExprKind::Cast(type_assertion.cast_to().to_string().trim().to_owned()), place)
            }
            Expression::Var(own) => self.var_spanned(own),
            _ => self.made(ExprKind::Rest, TextPlace::default()),
        }
    }

    /// `if a then b else c`.
    fn choice(&mut self, own: &ast::luau::IfExpression) -> (ExprId, TextPlace) {
        self.expr(own.condition());
        let mut values = vec![self.expr(own.if_expression())];
        for branch in own.else_if_expressions().into_iter().flatten() {
            self.expr(branch.condition());
            values.push(self.expr(branch.expression()));
        }
        let (last, to) = self.plain(own.else_expression());
        values.push(last);
        self.made(ExprKind::Choice(values), place_of(own.if_token()).to(to))
    }

    pub(super) fn var(&mut self, var: &Var) -> ExprId {
        self.var_spanned(var).0
    }

    fn var_spanned(&mut self, var: &Var) -> (ExprId, TextPlace) {
        match var {
            Var::Name(token) => {
                let word = word_of(token);
                (self.name(&word), word.place)
            }
            Var::Expression(own) => {
                let id = self.var_expression(own);
                (id, self.tree.place(id))
            }
            _ => self.made(ExprKind::Rest, TextPlace::default()),
        }
    }

    pub(super) fn name(&mut self, word: &Word) -> ExprId {
        let kind = match self.find(&word.text) {
            Some(local) => ExprKind::Local(local),
            None => ExprKind::Global(word.text.clone()),
        };
        self.push(kind, word.place)
    }

    pub(super) fn var_expression(&mut self, own: &ast::VarExpression) -> ExprId {
        let first = self.prefix(own.prefix());
        own.suffixes().fold(first, |(object, from), suffix| self.suffix(object, from, suffix)).0
    }

    pub(super) fn call(&mut self, own: &ast::FunctionCall) -> ExprId {
        self.call_spanned(own).0
    }

    fn call_spanned(&mut self, own: &ast::FunctionCall) -> (ExprId, TextPlace) {
        let first = self.prefix(own.prefix());
        own.suffixes().fold(first, |(object, from), suffix| self.suffix(object, from, suffix))
    }

    fn prefix(&mut self, prefix: &Prefix) -> (ExprId, TextPlace) {
        match prefix {
            Prefix::Expression(own) => self.plain(own),
            Prefix::Name(token) => {
                let word = word_of(token);
                (self.name(&word), word.place)
            }
            _ => self.made(ExprKind::Rest, TextPlace::default()),
        }
    }

    fn suffix(&mut self, object: ExprId, from: TextPlace, suffix: &Suffix) -> (ExprId, TextPlace) {
        match suffix {
            Suffix::Index(Index::Dot { name, .. }) => {
                let name = word_of(name);
                let place = from.to(name.place);
                self.made(ExprKind::Field(object, name), place)
            }
            Suffix::Index(Index::Brackets { brackets, expression }) => {
                let key = self.expr(expression);
                let place = from.to(between(brackets));
                match self.tree.kind(key) {
                    ExprKind::Text(text) => {
                        let name = Word { text: text.clone(), place: self.tree.place(key) };
                        self.made(ExprKind::Field(object, name), place)
                    }
                    _ => self.made(ExprKind::Index(object, key), place),
                }
            }
            Suffix::Call(Call::AnonymousCall(args)) => {
                let (args, to) = self.args(args);
                let call = self.push(ExprKind::Call(object, args.clone()), from.to(to));
                self.passed(call, &args);
                (call, from.to(to))
            }
            Suffix::Call(Call::MethodCall(method)) => {
                let (args, to) = self.args(method.args());
                let name = word_of(method.name());
                let call = self.push(ExprKind::Method(object, name, args.clone()), from.to(to));
                self.passed(call, &args);
                (call, from.to(to))
            }
            _ => (object, from),
        }
    }

    fn passed(&mut self, call: ExprId, args: &[ExprId]) {
        for arg in args {
            self.used(*arg, ValueUse::Argument(call));
        }
    }

    /// The arguments of a call, and where they stand.
    fn args(&mut self, args: &FunctionArgs) -> (Vec<ExprId>, TextPlace) {
        match args {
            FunctionArgs::Parentheses { arguments, parentheses } => {
                let args = arguments.iter().map(|value| self.expr(value)).collect();
                (args, between(parentheses))
            }
            FunctionArgs::String(token) => (vec![self.push(text(token), place_of(token))], place_of(token)),
            FunctionArgs::TableConstructor(own) => {
                let (table, place) = self.table(own);
                (vec![table], place)
            }
            _ => (Vec::new(), TextPlace::default()),
        }
    }

    fn table(&mut self, own: &ast::TableConstructor) -> (ExprId, TextPlace) {
        let mut items = Vec::new();
        for field in own.fields() {
            match field {
                Field::NameKey { key, value, .. } => {
                    let value = self.expr_noted(value, &Notes::above(key));
                    items.push(TableItem::Named(word_of(key), value));
                }
                Field::ExpressionKey { key, value, .. } => {
                    let (key, value) = (self.expr(key), self.expr(value));
                    items.push(match self.tree.kind(key) {
                        ExprKind::Text(text) => {
                            TableItem::Named(Word { text: text.clone(), place: self.tree.place(key) }, value)
                        }
                        _ => TableItem::Keyed(key, value),
                    });
                }
                Field::NoKey(value) => items.push(TableItem::Listed(self.expr(value))),
                _ => {}
            }
        }
        let place = between(own.braces());
        let table = self.push(ExprKind::Table(items.clone()), place);
        for item in items {
            let (name, value) = match item {
                TableItem::Named(word, value) => (Some(word.text), value),
                TableItem::Keyed(_, value) | TableItem::Listed(value) => (None, value),
            };
            self.used(value, ValueUse::Item(table, name));
        }
        (table, place)
    }
}

/// From one bracket to the other.
fn between(span: &ContainedSpan) -> TextPlace {
    let (open, close) = span.tokens();
    place_of(open).to(place_of(close))
}

fn binary(operator: &BinOp, left: ExprId, right: ExprId) -> ExprKind {
    match operator {
        BinOp::And(_) => ExprKind::And(right),
        BinOp::Or(_) => ExprKind::Or(left, right),
        BinOp::TwoDots(_) => ExprKind::Join(left),
        BinOp::GreaterThan(_)
        | BinOp::GreaterThanEqual(_)
        | BinOp::LessThan(_)
        | BinOp::LessThanEqual(_)
        | BinOp::TildeEqual(_)
        | BinOp::TwoEqual(_) => ExprKind::Test,
        _ => ExprKind::Sum(vec![left, right]),
    }
}

fn number(token: &TokenReference) -> ExprKind {
    let TokenType::Number { text } = token.token_type() else { return ExprKind::Sum(Vec::new()) };
    let digits = text.replace('_', "");
    // Hexadecimal and binary numbers are numbers whose value nobody asks for.
    digits.parse().map_or_else(|_| ExprKind::Sum(Vec::new()), ExprKind::Number)
}

fn symbol(token: &TokenReference) -> ExprKind {
    match token.token_type() {
        TokenType::Symbol { symbol: Symbol::True } => ExprKind::Bool(true),
        TokenType::Symbol { symbol: Symbol::False } => ExprKind::Bool(false),
        TokenType::Symbol { symbol: Symbol::Nil } => ExprKind::Nil,
        _ => ExprKind::Rest,
    }
}

/// A text in quotes. One with escapes is a text that is not known.
fn text(token: &TokenReference) -> ExprKind {
    match token.token_type() {
        TokenType::StringLiteral { literal, quote_type, .. } => {
            let is_raw = matches!(quote_type, StringLiteralQuoteType::Brackets);
            if literal.contains('\\') && !is_raw {
                ExprKind::Cast("string".to_owned())
            } else {
                ExprKind::Text(literal.to_string())
            }
        }
        _ => ExprKind::Cast("string".to_owned()),
    }
}
