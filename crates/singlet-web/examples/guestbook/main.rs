//! A guest book: sign-in, roles, a live page and a job. Runs until it is stopped.
use singlet::prelude::*;
use singlet_web::prelude::*;
use std::future::pending;

id!(EntryId, UserId);

#[table(name = "guestbook-{env}", key = (PK, SK), stream, entities(Entry, Moderator))]
struct Guestbook;

/// One entry, in the table and in responses. Its id is a UUIDv7, so entries sort by time.
#[derive(Entity, Clone, Debug, Serialize, JsonSchema)]
#[entity(Guestbook, key = ("BOOK", "ENTRY#{id}"), rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: EntryId,
    #[serde(skip)]
    author: UserId,
    name: String,
    text: String,
    #[attribute(created)]
    created_at: Timestamp,
}

/// A grant: this user may remove the entries of others.
#[derive(Entity, Clone, Debug)]
#[entity(Guestbook, key = ("BOOK", "MODERATOR#{user}"))]
struct Moderator {
    user: UserId,
}

problems! {
    /// Why the guest book refuses a request.
    enum Error {
        /// The entry does not exist, or was removed.
        EntryNotFound = 404, "entry-not-found", "Entry not found";
    }
}

roles! {
    /// What a caller is to an entry.
    enum Role { Author, Moderator }
}

#[derive(Clone)]
struct Service {
    db: Db<Guestbook>,
    random: Random,
    live: Live,
}

impl Service {
    async fn new(resources: &Resources) -> Result<Self, OpenError> {
        let db = resources.database().await?;
        let live = Live::signals("ready").follow(&db, pushes);
        Ok(Self { db, random: resources.random().clone(), live })
    }

    async fn list(&self, paging: &Paging) -> Result<Page<Entry>, Error> {
        let newest = Entry::of().descending().limit(paging.limit());
        Ok(self.db.query(newest).page(paging.cursor()?).await?.into())
    }

    async fn sign(&self, caller: &Caller, text: CleanText<140>) -> Result<Entry, Error> {
        let (now, author) = (self.db.now(), caller.id()?);
        let (name, text) = (caller.display_name().to_owned(), text.into_string());
        let entry = Entry { id: self.random.id(now)?, author, name, text, created_at: now };
        Ok(self.db.run(create(&entry).returning_new()).await?)
    }

    async fn remove(&self, caller: &Caller, id: &EntryId) -> Result<(), Error> {
        let entry = self.db.get(Entry::key(id)).await?.ok_or(Error::EntryNotFound)?;
        let user: UserId = caller.id()?;
        let role = match self.db.get(Moderator::key(&user)).await? {
            Some(_) => Some(Role::Moderator),
            None => (entry.author == user).then_some(Role::Author),
        };
        Access::new(Some(caller), role).require(Role::Author)?;
        Ok(self.db.run(delete(Entry::key(id))).await?)
    }

    /// The job: entries are kept for thirty days.
    async fn remove_old(self, run: JobRun) -> Result<Next, JobError> {
        let limit = self.db.now().before(30 * 24 * HOUR);
        let entries = self.db.query(Entry::of()).all().await?;
        for entry in entries.iter().filter(|entry| entry.created_at < limit) {
            run.check_held()?;
            self.db.run(delete(Entry::key(&entry.id))).await?;
        }
        Ok(Next::Interval)
    }
}

#[derive(Deserialize, JsonSchema)]
struct NewEntry {
    /// What to write.
    text: CleanText<140>,
}

type App = State<Service>;

async fn list_entries(app: App, paging: Paging) -> Result<Json<Page<Entry>>, Error> {
    app.list(&paging).await.map(Json)
}

async fn sign(app: App, by: Caller, Body(new): Body<NewEntry>) -> Result<Created<Entry>, Error> {
    let entry = app.sign(&by, new.text).await?;
    Ok(Created::at(format!("/entries/{}", entry.id), entry))
}

async fn get_entry(app: App, id: Path<EntryId>) -> Result<Json<Entry>, Error> {
    app.db.get(Entry::key(&id.0)).await?.ok_or(Error::EntryNotFound).map(Json)
}

async fn remove_entry(app: App, by: Caller, id: Path<EntryId>) -> Result<NoContent, Error> {
    app.remove(&by, &id).await.map(|()| NoContent)
}

async fn watch(app: App, last: LastEventId) -> Result<EventStream, Error> {
    Ok(app.live.subscribe(Topic::from("book"), last).await?.into())
}

/// The event that a change sends to watchers.
fn pushes(change: &ItemChange<GuestbookItem>) -> Vec<Push> {
    match (&change.old, &change.new) {
        (_, Some(GuestbookItem::Entry(new))) => vec![Push::unnumbered("book", "entry", new)],
        (Some(GuestbookItem::Entry(old)), None) => vec![Push::unnumbered("book", "removed", old)],
        _ => vec![],
    }
}

async fn open(resources: Resources) -> Result<Opened, OpenError> {
    let service = Service::new(&resources).await?;
    let api = Api::new(service.clone())
        .path_ids([("id", "The id of the entry.", Error::EntryNotFound)])
        .route(Route::get("/entries", list_entries).about("Lists entries, newest first."))
        .route(Route::get("/entries/{id}", get_entry).about("Shows an entry."))
        .route(Route::post("/entries", sign).about("Writes an entry.").idempotent())
        .route(
            Route::delete("/entries/{id}", remove_entry)
                .about("Removes an entry: your own, or any as a moderator."),
        )
        .route(Route::get("/live", watch).about("New and removed entries."));
    let pages = assets! { "/" => "index.html", "/guestbook.js" => "guestbook.js" };
    let opened = Opened::new(api).pages(pages).live(&service.live);
    let job = Job::every("remove-old-entries", HOUR, move |run| service.clone().remove_old(run));
    Ok(opened.job(job.leased(Duration::from_secs(60))))
}

const HOUR: Duration = Duration::from_secs(3600);
const ANN: Persona = Persona::new("ann", "Ann", "a guest");
const MO: Persona = Persona::new("mo", "Mo", "moderator");

async fn demo(resources: Resources, demo: Demo) -> Result<(), DemoError> {
    let service = Service::new(&resources).await?;
    service.db.run(create(&Moderator { user: MO.caller().id()? })).await?;
    for (hours, text) in [(30, "What a view!"), (2, "Thank you for the tea.")] {
        demo.set_time(demo.loaded_at().before(hours * HOUR));
        service.sign(&ANN.caller(), text.parse()?).await?;
    }
    Ok(())
}

pub(crate) fn system() -> System {
    System::new("guestbook", "Guest book", "A book for guests.")
        .design::<Guestbook>()
        .problems::<Error>()
        .personas(&[ANN, MO])
        .open(open)
        .demo(demo)
}

#[tokio::main]
async fn main() -> Result<(), OpenError> {
    serve(vec![system()], Store::memory().await?, ([127, 0, 0, 1], 8080), pending()).await
}
