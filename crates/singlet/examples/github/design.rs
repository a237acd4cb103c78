//! A host of repositories, modelled on the GitHub example of "The DynamoDB Book" by Alex DeBrie:
//! ten entities in one table, with four global indexes and a local one.
//!
//! Its access patterns, in the order of `story.rs`:
//!
//! | pattern | by |
//! |---|---|
//! | create a user or an organization, one namespace for both | `create`, shared keys |
//! | join and leave an organization | `join`, `leave` |
//! | an organization with its members; the organizations of a user | `Team`, `Membership::organizations_of` |
//! | create and fork a repository; its forks | `create_repo`, `fork`, `Repo::forks_of` |
//! | star and unstar; who starred it | `star`, `unstar`, `Star::of` |
//! | the repositories of an account, last changed first | `Repo::of_account` |
//! | memberships and repositories of an account | `AccountEntry` |
//! | open an issue or a pull request, numbered together | `open_issue`, `open_pull_request` |
//! | close an issue, merge a pull request | `update`, `merge` |
//! | open ones, closed ones, page by page | `Issue::open_in`, `Issue::closed_in` |
//! | open issues and pull requests | `OpenWork` |
//! | a repository with its newest issues or pull requests | `RepoWithIssues`, `RepoWithPullRequests` |
//! | issues by their last activity | `Issue::by_activity` |
//! | comment; the comments of an issue or a pull request | `comment`, `IssueComment::of`, `PullRequestComment::of` |
//! | react once with each emoji, take it back, whose reactions they are | `react`, `unreact`, `reaction` |

use singlet::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

id!(AccountName, RepoName, CommentId, TargetId);

#[table(
    name = "github-{env}",
    key = (PK, SK),
    index(
        // A repository with its pull requests.
        GSI1 = (GSI1PK, GSI1SK),
        // Forks of a repository.
        GSI2 = (GSI2PK, GSI2SK),
        // An account's repositories, by last change, and its organizations.
        GSI3 = (GSI3PK, GSI3SK),
        // Issues and pull requests, by state.
        GSI4 = (GSI4PK, GSI4SK),
        // Issues of a repository, by last activity.
        local byActivity = (PK, activeAt)
    ),
    entities(
        User,
        Organization,
        Membership,
        Repo,
        Issue,
        PullRequest,
        IssueComment,
        PullRequestComment,
        Reaction,
        Star
    )
)]
pub struct GitHub;

/// Billing plan of an account.
#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "lowercase")]
pub enum Plan {
    Free,
    Paid { seats: u32, until: Date },
}

/// Users and organizations share one namespace: a name is taken once for both.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("ACCOUNT#{name}", "ACCOUNT#{name}"),
    shares_key_with(Organization),
    discriminator = "type",
    rename_all = "camelCase"
)]
pub struct User {
    pub name: AccountName,
    pub email: String,
    pub plan: Plan,
    #[attribute(created)]
    pub created_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("ACCOUNT#{name}", "ACCOUNT#{name}"),
    shares_key_with(User),
    discriminator = "type",
    rename_all = "camelCase"
)]
pub struct Organization {
    pub name: AccountName,
    pub plan: Plan,
    pub members: u32,
    #[attribute(created)]
    pub created_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq)]
#[attribute(rename_all = "lowercase")]
pub enum Role {
    Owner,
    Member,
}

/// A user's membership in an organization.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("ACCOUNT#{organization}", "MEMBERSHIP#{user}"),
    GSI3 organizations_of = ("ACCOUNT#{user}", "MEMBERSHIP#{organization}")
)]
pub struct Membership {
    pub organization: AccountName,
    pub user: AccountName,
    pub role: Role,
}

/// A repository; a fork if it has a parent.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("REPO#{owner}#{name}", "REPO#{owner}#{name}"),
    GSI1 beside_pull_requests = ("REPO#{owner}#{name}", "REPO#{owner}#{name}"),
    GSI2 forks_of = ("REPO#{parent_owner}#{parent_name}", "FORK#{owner}#{name}"),
    GSI3 of_account = ("ACCOUNT#{owner}", "REPO#{updated_at}#{name}"),
    rename_all = "camelCase"
)]
pub struct Repo {
    pub owner: AccountName,
    pub name: RepoName,
    pub parent_owner: Option<AccountName>,
    pub parent_name: Option<RepoName>,
    pub description: String,
    pub stars: u32,
    pub forks: u32,
    /// The last number assigned. Issues and pull requests share one sequence.
    pub last_number: u32,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq)]
#[attribute(rename_all = "lowercase")]
pub enum State {
    Open,
    Closed,
    Merged,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[attribute(rename_all = "lowercase")]
pub enum Emoji {
    Thumbs,
    Heart,
    Rocket,
}

/// GSI4 separates open and closed issues, so that listing one kind reads nothing else.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("REPO#{owner}#{repo}", "ISSUE#{number:07}"),
    GSI4 open_in = ("REPO#{owner}#{repo}", "ISSUE#OPEN#{number:07}") when state = "open",
    GSI4 closed_in = ("REPO#{owner}#{repo}", "ISSUE#CLOSED#{number:07}") when state = "closed",
    byActivity by_activity = ("REPO#{owner}#{repo}", "{active_at}"),
    rename_all = "camelCase"
)]
pub struct Issue {
    pub owner: AccountName,
    pub repo: RepoName,
    pub number: u32,
    pub title: String,
    pub author: AccountName,
    pub state: State,
    pub reactions: BTreeMap<Emoji, u32>,
    pub active_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("PR#{owner}#{repo}#{number:07}", "PR#{owner}#{repo}#{number:07}"),
    GSI1 of_repo = ("REPO#{owner}#{repo}", "PR#{number:07}"),
    GSI4 open_in = ("REPO#{owner}#{repo}", "PR#OPEN#{number:07}") when state = "open",
    GSI4 closed_in = ("REPO#{owner}#{repo}", "PR#CLOSED#{number:07}") when state = "closed" | "merged",
    rename_all = "camelCase"
)]
pub struct PullRequest {
    pub owner: AccountName,
    pub repo: RepoName,
    pub number: u32,
    pub title: String,
    pub author: AccountName,
    pub state: State,
    pub reactions: BTreeMap<Emoji, u32>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(GitHub, key = ("ISSUECOMMENT#{owner}#{repo}#{number:07}", "ISSUECOMMENT#{id}"))]
pub struct IssueComment {
    pub owner: AccountName,
    pub repo: RepoName,
    pub number: u32,
    pub id: CommentId,
    pub author: AccountName,
    pub text: String,
    pub reactions: BTreeMap<Emoji, u32>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(GitHub, key = ("PRCOMMENT#{owner}#{repo}#{number:07}", "PRCOMMENT#{id}"))]
pub struct PullRequestComment {
    pub owner: AccountName,
    pub repo: RepoName,
    pub number: u32,
    pub id: CommentId,
    pub author: AccountName,
    pub text: String,
    pub reactions: BTreeMap<Emoji, u32>,
}

/// All reactions of one user to one issue, pull request or comment.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    GitHub,
    key = ("REACTION#{owner}#{repo}#{target}#{user}", "REACTION#{owner}#{repo}#{target}#{user}")
)]
pub struct Reaction {
    pub owner: AccountName,
    pub repo: RepoName,
    pub target: TargetId,
    pub user: AccountName,
    pub emojis: BTreeSet<Emoji>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(GitHub, key = ("REPO#{owner}#{repo}", "STAR#{user}"), rename_all = "camelCase")]
pub struct Star {
    pub owner: AccountName,
    pub repo: RepoName,
    pub user: AccountName,
    #[attribute(created)]
    pub starred_at: Timestamp,
}

/// A repository with its newest issues. The stars in the same partition are not read.
#[derive(Collection, Debug)]
pub struct RepoWithIssues {
    pub repo: Repo,
    #[collection(limit = 10, descending)]
    pub issues: Vec<Issue>,
}

/// A repository with its newest pull requests.
#[derive(Collection, Debug)]
#[collection(index = GSI1)]
pub struct RepoWithPullRequests {
    pub repo: Repo,
    #[collection(limit = 10, descending)]
    pub pull_requests: Vec<PullRequest>,
}

/// An organization with its members.
#[derive(Collection, Debug)]
pub struct Team {
    pub organization: Organization,
    pub members: Vec<Membership>,
}

/// Open issues of a repository, then open pull requests. Closed ones are in the same partition of
/// the index, but under different sort keys, and are not read.
#[derive(Collection, Debug)]
#[collection(index = GSI4)]
pub enum OpenWork {
    #[collection(pattern = open_in)]
    Issue(Issue),
    #[collection(pattern = open_in)]
    PullRequest(PullRequest),
}

/// Memberships of an account, then its repositories in order of last change.
#[derive(Collection, Debug)]
#[collection(index = GSI3)]
pub enum AccountEntry {
    Membership(Membership),
    Repo(Repo),
}
