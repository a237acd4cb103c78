//! A function for each access pattern that takes more than one line.

use super::design::*;
use singlet::Retryable;
use singlet::prelude::*;
use singlet::transaction::Transaction;

/// Reasons for rejecting an operation.
#[derive(Debug)]
pub enum Refusal {
    NameTaken,
    NoSuchRepo,
    NoSuchOrganization,
    NoSuchIssue,
    /// The target of the reaction does not exist.
    NoSuchTarget,
    Already,
    /// The pull request is not open.
    NotOpen,
    /// The star, membership or reaction to undo does not exist.
    NotYet,
    Database(singlet::Error),
}

impl From<singlet::Error> for Refusal {
    fn from(error: singlet::Error) -> Self {
        Self::Database(error)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Database(error) => error.fmt(f),
            refusal => write!(f, "{refusal:?}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Tells `attempt` which errors to retry.
impl Retryable for Refusal {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_retryable())
    }
}

pub type Result<T = ()> = std::result::Result<T, Refusal>;

pub async fn join(
    db: &Db<GitHub>,
    organization: &AccountName,
    user: &AccountName,
    role: Role,
) -> Result {
    let membership = Membership { organization: organization.clone(), user: user.clone(), role };
    db.transact((
        create(&membership).or(Refusal::Already),
        update(Organization::key(organization))
            .add(Organization::MEMBERS, 1)
            .or(Refusal::NoSuchOrganization),
    ))
    .await
}

pub async fn leave(db: &Db<GitHub>, organization: &AccountName, user: &AccountName) -> Result {
    db.transact((
        delete(Membership::key(organization, user))
            .only_if(Condition::exists())
            .or(Refusal::NotYet),
        update(Organization::key(organization))
            .add(Organization::MEMBERS, -1)
            .or(Refusal::NoSuchOrganization),
    ))
    .await
}

pub async fn create_repo(db: &Db<GitHub>, owner: &AccountName, name: &RepoName) -> Result<Repo> {
    let repo = Repo {
        owner: owner.clone(),
        name: name.clone(),
        parent_owner: None,
        parent_name: None,
        description: String::new(),
        stars: 0,
        forks: 0,
        last_number: 0,
        updated_at: db.now(),
    };
    db.run(create(&repo).or(Refusal::NameTaken)).await?;
    Ok(repo)
}

/// Creates a fork with its parent's name.
pub async fn fork(db: &Db<GitHub>, parent: &Repo, owner: &AccountName) -> Result {
    let fork = Repo {
        owner: owner.clone(),
        parent_owner: Some(parent.owner.clone()),
        parent_name: Some(parent.name.clone()),
        stars: 0,
        forks: 0,
        last_number: 0,
        ..parent.clone()
    };
    db.transact((
        create(&fork).or(Refusal::NameTaken),
        update(Repo::key(&parent.owner, &parent.name)).add(Repo::FORKS, 1).or(Refusal::NoSuchRepo),
    ))
    .await
}

pub async fn star(
    db: &Db<GitHub>,
    owner: &AccountName,
    repo: &RepoName,
    user: &AccountName,
) -> Result {
    let star =
        Star { owner: owner.clone(), repo: repo.clone(), user: user.clone(), starred_at: db.now() };
    db.transact((
        create(&star).or(Refusal::Already),
        update(Repo::key(owner, repo)).add(Repo::STARS, 1).or(Refusal::NoSuchRepo),
    ))
    .await
}

pub async fn unstar(
    db: &Db<GitHub>,
    owner: &AccountName,
    repo: &RepoName,
    user: &AccountName,
) -> Result {
    db.transact((
        delete(Star::key(owner, repo, user)).only_if(Condition::exists()).or(Refusal::NotYet),
        update(Repo::key(owner, repo)).add(Repo::STARS, -1).or(Refusal::NoSuchRepo),
    ))
    .await
}

/// Assigns the next number for an issue or pull request.
async fn next_number(db: &Db<GitHub>, owner: &AccountName, repo: &RepoName) -> Result<u32> {
    let counted = update(Repo::key(owner, repo)).add(Repo::LAST_NUMBER, 1).returning_new();
    Ok(db.run(counted.or(Refusal::NoSuchRepo)).await?.last_number)
}

pub async fn open_issue(
    db: &Db<GitHub>,
    (owner, repo): (&AccountName, &RepoName),
    author: &AccountName,
    title: &str,
) -> Result<Issue> {
    let issue = Issue {
        owner: owner.clone(),
        repo: repo.clone(),
        number: next_number(db, owner, repo).await?,
        title: title.into(),
        author: author.clone(),
        state: State::Open,
        reactions: Default::default(),
        active_at: db.now(),
    };
    db.run(create(&issue).or(Refusal::Already)).await?;
    Ok(issue)
}

pub async fn open_pull_request(
    db: &Db<GitHub>,
    (owner, repo): (&AccountName, &RepoName),
    author: &AccountName,
    title: &str,
) -> Result<PullRequest> {
    let pull_request = PullRequest {
        owner: owner.clone(),
        repo: repo.clone(),
        number: next_number(db, owner, repo).await?,
        title: title.into(),
        author: author.clone(),
        state: State::Open,
        reactions: Default::default(),
    };
    db.run(create(&pull_request).or(Refusal::Already)).await?;
    Ok(pull_request)
}

/// Merges a pull request exactly once, retrying on conflicts.
pub async fn merge(db: &Db<GitHub>, key: &Key<PullRequest>) -> Result {
    db.attempt(async |db| {
        let pull = db.get(key.clone().consistent()).await?.ok_or(Refusal::NotOpen)?;
        if pull.state != State::Open {
            return Err(Refusal::NotOpen);
        }
        let merged = update(key.clone()).set(PullRequest::STATE, State::Merged);
        Ok(db.run(merged.only_if(PullRequest::STATE.eq(pull.state))).await?)
    })
    .await
}

/// Writes a comment and updates the issue's last activity.
pub async fn comment(
    db: &Db<GitHub>,
    issue: &Issue,
    id: CommentId,
    author: &AccountName,
    text: &str,
) -> Result {
    let comment = IssueComment {
        owner: issue.owner.clone(),
        repo: issue.repo.clone(),
        number: issue.number,
        id,
        author: author.clone(),
        text: text.into(),
        reactions: Default::default(),
    };
    db.transact((
        create(&comment).or(Refusal::Already),
        update(Issue::key(&issue.owner, &issue.repo, issue.number))
            .set(Issue::ACTIVE_AT, db.now())
            .or(Refusal::NoSuchIssue),
    ))
    .await
}

/// The target of a reaction.
#[derive(Clone, Copy)]
pub enum Target<'t> {
    Issue(&'t Issue),
    PullRequest(&'t PullRequest),
    IssueComment(&'t IssueComment),
    PullRequestComment(&'t PullRequestComment),
}

impl Target<'_> {
    fn repo(self) -> (AccountName, RepoName) {
        let (owner, repo) = match self {
            Self::Issue(Issue { owner, repo, .. })
            | Self::PullRequest(PullRequest { owner, repo, .. })
            | Self::IssueComment(IssueComment { owner, repo, .. })
            | Self::PullRequestComment(PullRequestComment { owner, repo, .. }) => (owner, repo),
        };
        (owner.clone(), repo.clone())
    }

    /// Identifies the target within its repository.
    fn id(self) -> Result<TargetId> {
        let id = match self {
            Self::Issue(issue) => format!("ISSUE-{}", issue.number),
            Self::PullRequest(pull) => format!("PR-{}", pull.number),
            Self::IssueComment(own) => format!("ISSUECOMMENT-{}-{}", own.number, own.id),
            Self::PullRequestComment(own) => format!("PRCOMMENT-{}-{}", own.number, own.id),
        };
        TargetId::new(id).map_err(|_| Refusal::NoSuchTarget)
    }
}

/// The key of a user's reactions to a target.
pub fn reaction(target: Target<'_>, user: &AccountName) -> Result<Key<Reaction>> {
    let (owner, repo) = target.repo();
    Ok(Reaction::key(owner, repo, target.id()?, user))
}

/// Adds a reaction; each emoji at most once.
pub async fn react(
    db: &Db<GitHub>,
    target: Target<'_>,
    user: &AccountName,
    emoji: Emoji,
) -> Result {
    let mut transaction = db.transaction::<Refusal>();
    transaction.push(
        upsert(reaction(target, user)?)
            .insert(Reaction::EMOJIS, [emoji])
            .only_if(!Reaction::EMOJIS.contains(emoji))
            .or(Refusal::Already),
    );
    count_reaction(&mut transaction, target, emoji, 1);
    transaction.run().await
}

/// Removes a reaction.
pub async fn unreact(
    db: &Db<GitHub>,
    target: Target<'_>,
    user: &AccountName,
    emoji: Emoji,
) -> Result {
    let mut transaction = db.transaction::<Refusal>();
    transaction.push(
        update(reaction(target, user)?)
            .take(Reaction::EMOJIS, [emoji])
            .only_if(Reaction::EMOJIS.contains(emoji))
            .or(Refusal::NotYet),
    );
    count_reaction(&mut transaction, target, emoji, -1);
    transaction.run().await
}

/// Updates the reaction count stored on the target.
fn count_reaction(
    transaction: &mut Transaction<'_, GitHub, Refusal>,
    target: Target<'_>,
    emoji: Emoji,
    by: i32,
) {
    match target {
        Target::Issue(issue) => transaction.push(
            update(Key::of(issue)).add(Issue::REACTIONS.entry(emoji), by).or(Refusal::NoSuchTarget),
        ),
        Target::PullRequest(pull) => transaction.push(
            update(Key::of(pull))
                .add(PullRequest::REACTIONS.entry(emoji), by)
                .or(Refusal::NoSuchTarget),
        ),
        Target::IssueComment(comment) => transaction.push(
            update(Key::of(comment))
                .add(IssueComment::REACTIONS.entry(emoji), by)
                .or(Refusal::NoSuchTarget),
        ),
        Target::PullRequestComment(comment) => transaction.push(
            update(Key::of(comment))
                .add(PullRequestComment::REACTIONS.entry(emoji), by)
                .or(Refusal::NoSuchTarget),
        ),
    }
}
