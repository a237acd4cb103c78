//! A library that lends books: the program in docs/tutorial.md.
#![allow(missing_docs, clippy::print_stdout, reason = "a program that talks by printing")]

use singlet::backend::Embedded;
use singlet::engine::{Engine, Options};
use singlet::prelude::*;
use singlet::{CursorKey, Settings, block_on};
use std::error::Error;
use std::path::Path;
use std::time::Duration;

const EMMA: &str = "978-0-14-143951-8";

fn main() -> Result<(), Box<dyn Error>> {
    block_on(async {
        let db = match std::env::args().nth(1) {
            Some(folder) => open(Path::new(&folder)).await?,
            None => Db::<Library>::memory().await?,
        };
        add_book(&db).await?;
        add_member(&db).await?;
        lend_emma(&db).await?;
        show_account(&db).await?;
        extend_loan(&db).await?;
        list_books(&db).await?;
        hold_emma(&db).await?;
        check_design();
        Ok(())
    })
}

id!(Isbn, AuthorId, MemberId);

#[table(
    name = "library-{env}",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    ttl = TTL,
    entities(Book, Hold, Member, Loan)
)]
pub struct Library;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Library,
    key = ("BOOK#{isbn}", "METADATA"),
    GSI1 by_author = ("AUTHOR#{author}", "{title}")
)]
pub struct Book {
    pub isbn: Isbn,
    pub author: AuthorId,
    pub title: String,
    pub copies: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Library, key = ("MEMBER#{member}", "PROFILE"))]
pub struct Member {
    pub member: MemberId,
    pub name: String,
    #[attribute(created, rename = "joinedAt")]
    pub joined_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Library,
    key = ("MEMBER#{member}", "LOAN#{isbn}"),
    GSI1 of_book = ("BOOK#{isbn}", "LOAN#{due}")
)]
pub struct Loan {
    pub member: MemberId,
    pub isbn: Isbn,
    pub due: Date,
}

async fn add_book(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let (isbn, author) = (Isbn::new(EMMA)?, AuthorId::new("austen")?);
    let emma = Book { isbn: isbn.clone(), author, title: "Emma".into(), copies: 1 };
    db.run(create(&emma)).await?;

    let book = db.get(Book::key(&isbn)).await?;
    assert_eq!(book, Some(emma));
    Ok(())
}

async fn add_member(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let ada = MemberId::new("ada")?;
    db.run(create(&Member { member: ada, name: "Ada".into(), joined_at: db.now() })).await?;
    Ok(())
}

#[derive(Debug)]
pub enum Refusal {
    NoSuchMember,
    NoCopyLeft,
    LentAlready,
    NotLent,
    Database(singlet::Error),
}

impl From<singlet::Error> for Refusal {
    fn from(error: singlet::Error) -> Self {
        Self::Database(error)
    }
}

pub async fn lend(
    db: &Db<Library>,
    isbn: &Isbn,
    member: &MemberId,
    due: Date,
) -> Result<(), Refusal> {
    let loan = Loan { member: member.clone(), isbn: isbn.clone(), due };
    db.transact((
        check(Member::key(member)).or(Refusal::NoSuchMember),
        update(Book::key(isbn))
            .add(Book::COPIES, -1)
            .only_if(Book::COPIES.gt(0))
            .or(Refusal::NoCopyLeft),
        create(&loan).or(Refusal::LentAlready),
    ))
    .await
}

pub async fn give_back(db: &Db<Library>, isbn: &Isbn, member: &MemberId) -> Result<(), Refusal> {
    db.transact((
        delete(Loan::key(member, isbn)).only_if(Condition::exists()).or(Refusal::NotLent),
        update(Book::key(isbn)).add(Book::COPIES, 1),
    ))
    .await
}

async fn lend_emma(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let (isbn, due) = (Isbn::new(EMMA)?, "2026-12-01".parse::<Date>()?);
    let (ada, zoe) = (MemberId::new("ada")?, MemberId::new("zoe")?);
    let describe = |refusal: Refusal| format!("{refusal:?}");
    lend(db, &isbn, &ada, due).await.map_err(describe)?;
    give_back(db, &isbn, &ada).await.map_err(describe)?;
    lend(db, &isbn, &ada, due).await.map_err(describe)?;
    for who in [&ada, &zoe] {
        if let Err(refusal) = lend(db, &isbn, who, due).await {
            println!("{who} cannot have it: {refusal:?}");
        }
    }
    Ok(())
}

#[derive(Collection)]
pub struct Account {
    pub member: Member,
    pub loans: Vec<Loan>,
}

async fn show_account(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let account = db.load(Account::of(&MemberId::new("ada")?)).await?;
    for loan in account.iter().flat_map(|account| &account.loans) {
        println!("ada has {} until {}", loan.isbn, loan.due);
    }
    Ok(())
}

async fn extend_loan(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let (ada, isbn) = (MemberId::new("ada")?, Isbn::new(EMMA)?);
    let later: Date = "2026-12-15".parse()?;
    db.run(update(Loan::key(&ada, &isbn)).set(Loan::DUE, later)).await?;
    let due_by_christmas = Loan::of_book(&isbn).until("2026-12-24".parse::<Date>()?);
    let loans = db.query(due_by_christmas).all().await?;
    println!("due by Christmas: {}", loans.len());
    Ok(())
}

async fn list_books(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let austen = AuthorId::new("austen")?;
    for (number, title) in ["Persuasion", "Sanditon", "Lady Susan"].into_iter().enumerate() {
        let isbn = Isbn::new(format!("978-0-00-000000-{number}"))?;
        let author = austen.clone();
        db.run(create(&Book { isbn, author, title: title.into(), copies: 2 })).await?;
    }
    let first = db.query(Book::by_author(&austen).limit(3)).page(None).await?;
    let second = db.query(Book::by_author(&austen).limit(3)).page(first.next).await?;
    println!("{} books, then {}", first.items.len(), second.items.len());
    Ok(())
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Library, key = ("BOOK#{isbn}", "HOLD#{member}"))]
pub struct Hold {
    pub isbn: Isbn,
    pub member: MemberId,
    #[attribute(ttl)]
    pub until: Expiry,
}

async fn hold_emma(db: &Db<Library>) -> Result<(), Box<dyn Error>> {
    let (ada, isbn) = (MemberId::new("ada")?, Isbn::new(EMMA)?);
    let three_days = Duration::from_secs(3 * 24 * 60 * 60);
    let until = Expiry::at(db.now().after(three_days));
    db.run(create(&Hold { isbn: isbn.clone(), member: ada.clone(), until })).await?;
    let past = Expiry::at(db.now().before(three_days));
    db.run(put(&Hold { isbn: isbn.clone(), member: ada, until: past })).await?;
    println!("holds: {}", db.query(Hold::of(&isbn)).count().await?);
    Ok(())
}

fn check_design() {
    for finding in Library::design().check() {
        println!("{finding}");
    }
    let document = Library::design().document();
    println!("{}", document.lines().next().unwrap_or_default());
}

async fn open(folder: &Path) -> Result<Db<Library>, Box<dyn Error>> {
    let engine = Engine::open(folder, Options::default())?;
    // There is one of this program at a time, and its cursors need not outlive it.
    let cursor_key = Some(CursorKey::of_this_process());
    let settings = Settings { environment: "home".into(), cursor_key, ..Settings::default() };
    let db = Db::<Library>::on(Embedded::new(engine), settings);
    db.provision().await?;
    Ok(db)
}
