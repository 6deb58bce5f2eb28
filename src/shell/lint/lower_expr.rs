//! Expressions of a syntax tree into the tree that rules look at.
//!
//! In: expressions. Out: entries of the list of a [`Tree`](super::tree::Tree). Not here: statements (`lower`).

use full_moon::ast::{self, BinOp, Call, Expression, Field, FunctionArgs, Index, Prefix, Suffix, UnOp, Var};
use full_moon::tokenizer::{StringLiteralQuoteType, Symbol, TokenReference, TokenType};

use super::lower::{Lower, Notes, place_of, word_of};
use super::tree::{ExprId, Item, Kind, Place, Use, Word};

impl Lower {
    pub(super) fn expr(&mut self, expression: &Expression) -> ExprId {
        self.expr_noted(expression, &Notes::default())
    }

    /// An expression whose types were noted above it.
    pub(super) fn expr_noted(&mut self, expression: &Expression, notes: &Notes) -> ExprId {
        let place = place_of(expression);
        match expression {
            Expression::BinaryOperator { lhs, binop, rhs } => {
                let (left, right) = (self.expr(lhs), self.expr(rhs));
                self.push(binary(binop, left, right), place)
            }
            Expression::Parentheses { expression, .. } => self.expr(expression),
            Expression::UnaryOperator { unop, expression } => {
                let value = self.expr(expression);
                let kind = match unop {
                    UnOp::Minus(_) => Kind::Minus(value),
                    UnOp::Hash(_) => Kind::Sum(Vec::new()),
                    _ => Kind::Test,
                };
                self.push(kind, place)
            }
            Expression::Function(own) => {
                self.function(own.body(), place_of(own.function_token()), false, notes)
            }
            Expression::FunctionCall(call) => self.call(call),
            Expression::IfExpression(own) => {
                self.expr(own.condition());
                let mut values = vec![self.expr(own.if_expression())];
                for branch in own.else_if_expressions().into_iter().flatten() {
                    self.expr(branch.condition());
                    values.push(self.expr(branch.expression()));
                }
                values.push(self.expr(own.else_expression()));
                self.push(Kind::Choice(values), place)
            }
            Expression::InterpolatedString(own) => {
                for part in own.expressions() {
                    self.expr(part);
                }
                let nothing = self.push(Kind::Nil, place);
                self.push(Kind::Join(nothing), place)
            }
            Expression::TableConstructor(own) => self.table(own),
            Expression::Number(token) => self.push(number(token), place),
            Expression::String(token) => self.push(text(token), place),
            Expression::Symbol(token) => self.push(symbol(token), place),
            Expression::TypeAssertion { expression, type_assertion } => {
                self.expr(expression);
                self.push(Kind::Cast(type_assertion.cast_to().to_string().trim().to_owned()), place)
            }
            Expression::Var(own) => self.var(own),
            _ => self.push(Kind::Rest, place),
        }
    }

    pub(super) fn var(&mut self, var: &Var) -> ExprId {
        match var {
            Var::Name(token) => self.name(&word_of(token)),
            Var::Expression(own) => self.var_expression(own),
            _ => self.push(Kind::Rest, Place::default()),
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
        own.suffixes().fold(first, |object, suffix| self.suffix(object, suffix))
    }

    pub(super) fn call(&mut self, own: &ast::FunctionCall) -> ExprId {
        let first = self.prefix(own.prefix());
        own.suffixes().fold(first, |object, suffix| self.suffix(object, suffix))
    }

    fn prefix(&mut self, prefix: &Prefix) -> ExprId {
        match prefix {
            Prefix::Expression(own) => self.expr(own),
            Prefix::Name(token) => self.name(&word_of(token)),
            _ => self.push(Kind::Rest, Place::default()),
        }
    }

    fn suffix(&mut self, object: ExprId, suffix: &Suffix) -> ExprId {
        let from = self.tree.place(object);
        match suffix {
            Suffix::Index(Index::Dot { name, .. }) => {
                let name = word_of(name);
                let place = Place { end: name.place.end, ..from };
                self.push(Kind::Field(object, name), place)
            }
            Suffix::Index(Index::Brackets { expression, .. }) => {
                let key = self.expr(expression);
                let place = Place { end: place_of(suffix).end, ..from };
                match self.tree.kind(key) {
                    Kind::Text(text) => {
                        let name = Word { text: text.clone(), place: self.tree.place(key) };
                        self.push(Kind::Field(object, name), place)
                    }
                    _ => self.push(Kind::Index(object, key), place),
                }
            }
            Suffix::Call(Call::AnonymousCall(args)) => {
                let args = self.args(args);
                let call =
                    self.push(Kind::Call(object, args.clone()), Place { end: place_of(suffix).end, ..from });
                self.passed(call, &args);
                call
            }
            Suffix::Call(Call::MethodCall(method)) => {
                let args = self.args(method.args());
                let name = word_of(method.name());
                let place = Place { end: place_of(suffix).end, ..from };
                let call = self.push(Kind::Method(object, name, args.clone()), place);
                self.passed(call, &args);
                call
            }
            _ => object,
        }
    }

    fn passed(&mut self, call: ExprId, args: &[ExprId]) {
        for arg in args {
            self.used(*arg, Use::Argument(call));
        }
    }

    fn args(&mut self, args: &FunctionArgs) -> Vec<ExprId> {
        match args {
            FunctionArgs::Parentheses { arguments, .. } => {
                arguments.iter().map(|value| self.expr(value)).collect()
            }
            FunctionArgs::String(token) => vec![self.push(text(token), place_of(token))],
            FunctionArgs::TableConstructor(own) => vec![self.table(own)],
            _ => Vec::new(),
        }
    }

    fn table(&mut self, own: &ast::TableConstructor) -> ExprId {
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
        let table = self.push(Kind::Table(items.clone()), place_of(own));
        for item in items {
            let (name, value) = match item {
                Item::Named(word, value) => (Some(word.text), value),
                Item::Keyed(_, value) | Item::Listed(value) => (None, value),
            };
            self.used(value, Use::Item(table, name));
        }
        table
    }
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
