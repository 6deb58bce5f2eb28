//! Expressions of a syntax tree into the tree that rules look at.
//!
//! In: expressions. Out: entries of the list of a [`Tree`](super::tree::Tree). Holds: each expression is looked at once; where
//! it stands follows from its parts, because asking the parser for the place of a node looks through all that is in it, and
//! twice as long with each level of nesting. Not here: statements (`lower`).

use full_moon::ast::span::ContainedSpan;
use full_moon::ast::{self, BinOp, Call, Expression, Field, FunctionArgs, Index, Prefix, Suffix, UnOp, Var};
use full_moon::node::Node;
use full_moon::tokenizer::{StringLiteralQuoteType, Symbol, TokenReference, TokenType};

use super::lower::{Lower, Notes, place_of, word_of};
use super::tree::{ExprId, Item, Kind, Place, Use, Word};

impl Lower {
    pub(super) fn expr(&mut self, expression: &Expression) -> ExprId {
        self.expr_noted(expression, &Notes::default())
    }

    /// An expression whose types were noted above it.
    pub(super) fn expr_noted(&mut self, expression: &Expression, notes: &Notes) -> ExprId {
        self.spanned(expression, notes).0
    }

    fn plain(&mut self, expression: &Expression) -> (ExprId, Place) {
        self.spanned(expression, &Notes::default())
    }

    fn made(&mut self, kind: Kind, place: Place) -> (ExprId, Place) {
        (self.push(kind, place), place)
    }

    /// An expression, and where it stands with the parentheses around it.
    fn spanned(&mut self, expression: &Expression, notes: &Notes) -> (ExprId, Place) {
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
                    UnOp::Minus(_) => Kind::Minus(value),
                    UnOp::Hash(_) => Kind::Sum(Vec::new()),
                    _ => Kind::Test,
                };
                self.made(kind, place_of(unop.token()).to(to))
            }
            Expression::Function(own) => {
                let id = self.function(own.body(), place_of(own.function_token()), false, notes);
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
                let nothing = self.push(Kind::Nil, place);
                self.made(Kind::Join(nothing), place)
            }
            Expression::TableConstructor(own) => self.table(own),
            Expression::Number(token) => self.made(number(token), place_of(token)),
            Expression::String(token) => self.made(text(token), place_of(token)),
            Expression::Symbol(token) => self.made(symbol(token), place_of(token)),
            Expression::TypeAssertion { expression, type_assertion } => {
                let (_, from) = self.plain(expression);
                let last = type_assertion.cast_to().tokens().next_back();
                let place = last.map_or(from, |last| from.to(place_of(last)));
                self.made(Kind::Cast(type_assertion.cast_to().to_string().trim().to_owned()), place)
            }
            Expression::Var(own) => self.var_spanned(own),
            _ => self.made(Kind::Rest, Place::default()),
        }
    }

    /// `if a then b else c`.
    fn choice(&mut self, own: &ast::luau::IfExpression) -> (ExprId, Place) {
        self.expr(own.condition());
        let mut values = vec![self.expr(own.if_expression())];
        for branch in own.else_if_expressions().into_iter().flatten() {
            self.expr(branch.condition());
            values.push(self.expr(branch.expression()));
        }
        let (last, to) = self.plain(own.else_expression());
        values.push(last);
        self.made(Kind::Choice(values), place_of(own.if_token()).to(to))
    }

    pub(super) fn var(&mut self, var: &Var) -> ExprId {
        self.var_spanned(var).0
    }

    fn var_spanned(&mut self, var: &Var) -> (ExprId, Place) {
        match var {
            Var::Name(token) => {
                let word = word_of(token);
                (self.name(&word), word.place)
            }
            Var::Expression(own) => {
                let id = self.var_expression(own);
                (id, self.tree.place(id))
            }
            _ => self.made(Kind::Rest, Place::default()),
        }
    }

    pub(super) fn name(&mut self, word: &Word) -> ExprId {
        let kind = match self.find(&word.text) {
            Some(local) => Kind::Local(local),
            None => Kind::Global(word.text.clone()),
        };
        self.push(kind, word.place)
    }

    pub(super) fn var_expression(&mut self, own: &ast::VarExpression) -> ExprId {
        let first = self.prefix(own.prefix());
        own.suffixes().fold(first, |object, suffix| self.suffix(object, suffix)).0
    }

    pub(super) fn call(&mut self, own: &ast::FunctionCall) -> ExprId {
        self.call_spanned(own).0
    }

    fn call_spanned(&mut self, own: &ast::FunctionCall) -> (ExprId, Place) {
        let first = self.prefix(own.prefix());
        own.suffixes().fold(first, |object, suffix| self.suffix(object, suffix))
    }

    fn prefix(&mut self, prefix: &Prefix) -> (ExprId, Place) {
        match prefix {
            Prefix::Expression(own) => self.plain(own),
            Prefix::Name(token) => {
                let word = word_of(token);
                (self.name(&word), word.place)
            }
            _ => self.made(Kind::Rest, Place::default()),
        }
    }

    fn suffix(&mut self, (object, from): (ExprId, Place), suffix: &Suffix) -> (ExprId, Place) {
        match suffix {
            Suffix::Index(Index::Dot { name, .. }) => {
                let name = word_of(name);
                let place = from.to(name.place);
                self.made(Kind::Field(object, name), place)
            }
            Suffix::Index(Index::Brackets { brackets, expression }) => {
                let key = self.expr(expression);
                let place = from.to(between(brackets));
                match self.tree.kind(key) {
                    Kind::Text(text) => {
                        let name = Word { text: text.clone(), place: self.tree.place(key) };
                        self.made(Kind::Field(object, name), place)
                    }
                    _ => self.made(Kind::Index(object, key), place),
                }
            }
            Suffix::Call(Call::AnonymousCall(args)) => {
                let (args, to) = self.args(args);
                let call = self.push(Kind::Call(object, args.clone()), from.to(to));
                self.passed(call, &args);
                (call, from.to(to))
            }
            Suffix::Call(Call::MethodCall(method)) => {
                let (args, to) = self.args(method.args());
                let name = word_of(method.name());
                let call = self.push(Kind::Method(object, name, args.clone()), from.to(to));
                self.passed(call, &args);
                (call, from.to(to))
            }
            _ => (object, from),
        }
    }

    fn passed(&mut self, call: ExprId, args: &[ExprId]) {
        for arg in args {
            self.used(*arg, Use::Argument(call));
        }
    }

    /// The arguments of a call, and where they stand.
    fn args(&mut self, args: &FunctionArgs) -> (Vec<ExprId>, Place) {
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
            _ => (Vec::new(), Place::default()),
        }
    }

    fn table(&mut self, own: &ast::TableConstructor) -> (ExprId, Place) {
        let mut items = Vec::new();
        for field in own.fields() {
            match field {
                Field::NameKey { key, value, .. } => {
                    let value = self.expr_noted(value, &Notes::above(key));
                    items.push(Item::Named(word_of(key), value));
                }
                Field::ExpressionKey { key, value, .. } => {
                    let (key, value) = (self.expr(key), self.expr(value));
                    items.push(match self.tree.kind(key) {
                        Kind::Text(text) => {
                            Item::Named(Word { text: text.clone(), place: self.tree.place(key) }, value)
                        }
                        _ => Item::Keyed(key, value),
                    });
                }
                Field::NoKey(value) => items.push(Item::Listed(self.expr(value))),
                _ => {}
            }
        }
        let place = between(own.braces());
        let table = self.push(Kind::Table(items.clone()), place);
        for item in items {
            let (name, value) = match item {
                Item::Named(word, value) => (Some(word.text), value),
                Item::Keyed(_, value) | Item::Listed(value) => (None, value),
            };
            self.used(value, Use::Item(table, name));
        }
        (table, place)
    }
}

/// From one bracket to the other.
fn between(span: &ContainedSpan) -> Place {
    let (open, close) = span.tokens();
    place_of(open).to(place_of(close))
}

fn binary(operator: &BinOp, left: ExprId, right: ExprId) -> Kind {
    match operator {
        BinOp::And(_) => Kind::And(right),
        BinOp::Or(_) => Kind::Or(left, right),
        BinOp::TwoDots(_) => Kind::Join(left),
        BinOp::GreaterThan(_)
        | BinOp::GreaterThanEqual(_)
        | BinOp::LessThan(_)
        | BinOp::LessThanEqual(_)
        | BinOp::TildeEqual(_)
        | BinOp::TwoEqual(_) => Kind::Test,
        _ => Kind::Sum(vec![left, right]),
    }
}

fn number(token: &TokenReference) -> Kind {
    let TokenType::Number { text } = token.token_type() else { return Kind::Sum(Vec::new()) };
    let digits = text.replace('_', "");
    // Hexadecimal and binary numbers are numbers whose value nobody asks for.
    digits.parse().map_or_else(|_| Kind::Sum(Vec::new()), Kind::Number)
}

fn symbol(token: &TokenReference) -> Kind {
    match token.token_type() {
        TokenType::Symbol { symbol: Symbol::True } => Kind::Bool(true),
        TokenType::Symbol { symbol: Symbol::False } => Kind::Bool(false),
        TokenType::Symbol { symbol: Symbol::Nil } => Kind::Nil,
        _ => Kind::Rest,
    }
}

/// A text in quotes. One with escapes is a text that is not known.
fn text(token: &TokenReference) -> Kind {
    match token.token_type() {
        TokenType::StringLiteral { literal, quote_type, .. } => {
            let is_raw = matches!(quote_type, StringLiteralQuoteType::Brackets);
            if literal.contains('\\') && !is_raw {
                Kind::Cast("string".to_owned())
            } else {
                Kind::Text(literal.to_string())
            }
        }
        _ => Kind::Cast("string".to_owned()),
    }
}
