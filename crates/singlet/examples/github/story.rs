//! Runs every access pattern of the design and checks the results.

use super::design::*;
use super::service::*;
use singlet::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

type Told<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Runs the story on an empty table.
pub async fn tell(db: &Db<GitHub>) -> Told {
    let [ada, zoe, acme] = ["ada", "zoe", "acme"].map(AccountName::new);
    let (ada, zoe, acme) = (ada?, zoe?, acme?);
    accounts(db, &ada, &zoe, &acme).await?;
    let engine = repositories(db, &ada, &zoe, &acme).await?;
    issues(db, &engine, &ada, &zoe).await?;
    pull_requests(db, &engine, &zoe).await
}

async fn accounts(
    db: &Db<GitHub>,
    ada: &AccountName,
    zoe: &AccountName,
    acme: &AccountName,
) -> Told {
    for name in [ada, zoe] {
        let email = format!("{name}@example.com");
        let user = User { name: name.clone(), email, plan: Plan::Free, created_at: db.now() };
        db.run(create(&user).or(Refusal::NameTaken)).await?;
    }
    let organization = |name: &AccountName| Organization {
        name: name.clone(),
        plan: Plan::Free,
        members: 0,
        created_at: db.now(),
    };
    db.run(create(&organization(acme)).or(Refusal::NameTaken)).await?;

    // Users and organizations share a namespace.
    let taken = db.run(create(&organization(ada)).or(Refusal::NameTaken)).await;
    assert!(matches!(taken, Err(Refusal::NameTaken)));
    // The name belongs to an organization, not to a user.
    assert!(db.get(User::key(acme)).await?.is_none());
    assert!(db.get(Organization::key(acme)).await?.is_some());

    join(db, acme, ada, Role::Owner).await?;
    join(db, acme, zoe, Role::Member).await?;
    let again = join(db, acme, zoe, Role::Member).await;
    assert!(matches!(again, Err(Refusal::Already)));
    let team = db.load(Team::of(acme)).await?.ok_or("no team")?;
    assert_eq!((team.organization.members, team.members.len()), (2, 2));
    let organizations = db.query(Membership::organizations_of(zoe)).all().await?;
    assert_eq!(organizations.len(), 1);
    leave(db, acme, zoe).await?;
    assert!(matches!(leave(db, acme, zoe).await, Err(Refusal::NotYet)));
    let team = db.load(Team::of(acme)).await?.ok_or("no team")?;
    assert_eq!((team.organization.members, team.members.len()), (1, 1));
    join(db, acme, zoe, Role::Member).await?;

    let plan = Plan::Paid { seats: 5, until: "2027-12-31".parse()? };
    db.run(update(Organization::key(acme)).set(Organization::PLAN, &plan)).await?;
    let paid = db.get(Organization::key(acme)).await?.ok_or("no organization")?;
    assert_eq!(paid.plan, plan);
    Ok(())
}

async fn repositories(
    db: &Db<GitHub>,
    ada: &AccountName,
    zoe: &AccountName,
    acme: &AccountName,
) -> Told<Repo> {
    let (engine, site) = (RepoName::new("engine")?, RepoName::new("site")?);
    let repo = create_repo(db, acme, &engine).await?;
    create_repo(db, acme, &site).await?;
    assert!(matches!(create_repo(db, acme, &site).await, Err(Refusal::NameTaken)));

    fork(db, &repo, zoe).await?;
    fork(db, &repo, ada).await?;
    let forks = db.query(Repo::forks_of(acme, &engine)).all().await?;
    assert_eq!(forks.iter().map(|fork| fork.owner.as_str()).collect::<Vec<_>>(), ["ada", "zoe"]);

    for user in [ada, zoe] {
        star(db, acme, &engine, user).await?;
    }
    assert!(matches!(star(db, acme, &engine, ada).await, Err(Refusal::Already)));
    unstar(db, acme, &engine, ada).await?;
    assert!(matches!(unstar(db, acme, &engine, ada).await, Err(Refusal::NotYet)));
    star(db, acme, &engine, ada).await?;
    let stargazers = db.query(Star::of(acme, &engine)).all().await?;
    assert_eq!(stargazers.len(), 2);

    let starred = db.get(Repo::key(acme, &engine)).await?.ok_or("no repository")?;
    assert_eq!((starred.stars, starred.forks), (2, 2));
    let by_change = db.query(Repo::of_account(acme).descending()).all().await?;
    let order: Vec<_> =
        by_change.iter().map(|repo| (repo.updated_at, repo.name.as_str())).collect();
    assert!(order.is_sorted_by(|one, next| one > next), "last changed first: {order:?}");
    assert_eq!(by_change.len(), 2);
    // Memberships and repositories of one account, in one query.
    let entries = db.query(AccountEntry::of(zoe)).all().await?;
    let [AccountEntry::Membership(membership), AccountEntry::Repo(fork)] = entries.as_slice()
    else {
        return Err("not one of each".into());
    };
    assert_eq!((&membership.organization, &fork.name), (acme, &engine));
    Ok(starred)
}

async fn issues(db: &Db<GitHub>, repo: &Repo, ada: &AccountName, zoe: &AccountName) -> Told {
    let of = (&repo.owner, &repo.name);
    let mut opened = Vec::new();
    for number in 1..=12 {
        opened.push(open_issue(db, of, ada, &format!("Problem {number}")).await?);
    }
    let (first, second) = match opened.as_slice() {
        [first, second, ..] => (first, second),
        _ => return Err("no issues".into()),
    };
    assert_eq!((first.number, second.number), (1, 2));

    // Closing an issue moves it in the index by state.
    let key = || Issue::key(&repo.owner, &repo.name, second.number);
    db.run(
        update(key())
            .set(Issue::STATE, State::Closed)
            .only_if(Issue::STATE.eq(State::Open))
            .or(Refusal::NoSuchIssue),
    )
    .await?;
    let open = db.query(Issue::open_in(&repo.owner, &repo.name)).all().await?;
    let closed = db.query(Issue::closed_in(&repo.owner, &repo.name)).all().await?;
    assert_eq!((open.len(), closed.len()), (11, 1));

    // Page by page, newest first.
    let newest = || Issue::open_in(&repo.owner, &repo.name).descending().limit(5);
    let (mut pages, mut cursor) = (Vec::new(), None);
    loop {
        let page = db.query(newest()).page(cursor).await?;
        pages.push(page.items.iter().map(|issue| issue.number).collect::<Vec<_>>());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, [vec![12, 11, 10, 9, 8], vec![7, 6, 5, 4, 3], vec![1]]);

    // The repository and its ten newest issues, without reading its stars.
    let page = db.load(RepoWithIssues::of(of)).await?.ok_or("no repository")?;
    let numbers: Vec<u32> = page.issues.iter().map(|issue| issue.number).collect();
    assert_eq!((page.repo.last_number, numbers.first(), numbers.len()), (12, Some(&12), 10));

    for (id, text) in [("c1", "I see it too."), ("c2", "Fixed in main.")] {
        comment(db, first, CommentId::new(id)?, zoe, text).await?;
    }
    let comments = db.query(IssueComment::of(&repo.owner, &repo.name, first.number)).all().await?;
    assert_eq!(comments.len(), 2);

    // By activity: a local index supports consistent reads.
    let later = db.now().after(Duration::from_secs(60));
    db.run(update(key()).set(Issue::ACTIVE_AT, later)).await?;
    let active = Issue::by_activity(&repo.owner, &repo.name).descending().consistent().limit(1);
    let active = db.query(active).first().await?.ok_or("no issue")?;
    assert_eq!(active.number, second.number);

    // Counts only items of one entity.
    assert_eq!(db.scan(Scan::<Issue>::table()).count().await?, 12);
    assert_eq!(db.scan(Scan::<User>::table()).count().await?, 2);

    // Imports an issue with a given number: created first, then updated.
    let imported = Issue::key(&repo.owner, &repo.name, 100);
    for title in ["Imported", "Imported again"] {
        let issue = upsert(imported.clone())
            .set(Issue::TITLE, title)
            .set(Issue::AUTHOR, ada)
            .set(Issue::STATE, State::Closed)
            .set(Issue::REACTIONS, BTreeMap::new())
            .set(Issue::ACTIVE_AT, db.now());
        db.run(issue).await?;
    }
    let closed = db.query(Issue::closed_in(&repo.owner, &repo.name).descending()).all().await?;
    assert_eq!(closed.first().map(|issue| issue.title.as_str()), Some("Imported again"));

    let target = Target::Issue(first);
    react(db, target, zoe, Emoji::Heart).await?;
    react(db, target, ada, Emoji::Heart).await?;
    react(db, target, ada, Emoji::Rocket).await?;
    assert!(matches!(react(db, target, ada, Emoji::Heart).await, Err(Refusal::Already)));
    unreact(db, target, ada, Emoji::Heart).await?;
    assert!(matches!(unreact(db, target, ada, Emoji::Heart).await, Err(Refusal::NotYet)));
    // The issue stores the counts; the reaction items store who reacted.
    let counted = db.get(Key::of(first)).await?.ok_or("no issue")?;
    assert_eq!(counted.reactions.get(&Emoji::Heart), Some(&1));
    assert_eq!(counted.reactions.get(&Emoji::Rocket), Some(&1));
    let of_ada = db.get(reaction(target, ada)?).await?.ok_or("no reaction")?;
    assert_eq!(of_ada.emojis.into_iter().collect::<Vec<_>>(), [Emoji::Rocket]);

    let [comment, ..] = comments.as_slice() else { return Err("no comment".into()) };
    react(db, Target::IssueComment(comment), ada, Emoji::Thumbs).await?;
    let comment = db.get(Key::of(comment)).await?.ok_or("no comment")?;
    assert_eq!(comment.reactions.get(&Emoji::Thumbs), Some(&1));

    // Nothing else refers to a comment, so deleting it takes one request.
    db.run(delete(Key::of(&comment))).await?;
    let comments = db.query(IssueComment::of(&repo.owner, &repo.name, first.number)).all().await?;
    assert_eq!(comments.len(), 1);
    let gone = react(db, Target::IssueComment(&comment), ada, Emoji::Heart).await;
    assert!(matches!(gone, Err(Refusal::NoSuchTarget)));
    Ok(())
}

async fn pull_requests(db: &Db<GitHub>, repo: &Repo, zoe: &AccountName) -> Told {
    let of = (&repo.owner, &repo.name);
    let one = open_pull_request(db, of, zoe, "Mend it").await?;
    open_pull_request(db, of, zoe, "Test it").await?;
    // Issues and pull requests share one sequence of numbers.
    assert_eq!(one.number, 13);
    let key = PullRequest::key(&repo.owner, &repo.name, one.number);
    merge(db, &key).await?;
    assert!(matches!(merge(db, &key).await, Err(Refusal::NotOpen)));
    let open = db.query(PullRequest::open_in(&repo.owner, &repo.name)).all().await?;
    let closed = db.query(PullRequest::closed_in(&repo.owner, &repo.name)).all().await?;
    assert_eq!((open.len(), closed.len()), (1, 1));

    // Open issues and pull requests, and no closed ones.
    let work = db.query(OpenWork::of(of)).all().await?;
    let numbers = |is_issue: bool| -> Vec<u32> {
        let number = |one: &OpenWork| match one {
            OpenWork::Issue(issue) => (issue.number, true),
            OpenWork::PullRequest(pull) => (pull.number, false),
        };
        let numbers = work.iter().map(number).filter(|(_, own)| *own == is_issue);
        numbers.map(|(number, _)| number).collect()
    };
    assert_eq!((numbers(true).len(), numbers(false)), (11, vec![14]));
    assert!(!numbers(true).contains(&2), "it was closed");

    let page = db.load(RepoWithPullRequests::of(of)).await?.ok_or("no repository")?;
    let numbers: Vec<u32> = page.pull_requests.iter().map(|pull| pull.number).collect();
    assert_eq!((page.repo.last_number, numbers), (14, vec![14, 13]));

    let comment = PullRequestComment {
        owner: repo.owner.clone(),
        repo: repo.name.clone(),
        number: one.number,
        id: CommentId::new("c1")?,
        author: zoe.clone(),
        text: "Thanks.".into(),
        reactions: BTreeMap::new(),
    };
    db.run(create(&comment).or(Refusal::Already)).await?;
    let comments = PullRequestComment::of(&repo.owner, &repo.name, one.number);
    assert_eq!(db.query(comments).all().await?.len(), 1);

    for target in [Target::PullRequest(&one), Target::PullRequestComment(&comment)] {
        react(db, target, zoe, Emoji::Rocket).await?;
        let reacted = db.get(reaction(target, zoe)?).await?.ok_or("no reaction")?;
        assert_eq!(reacted.emojis.len(), 1);
    }
    let pull = db.get(Key::of(&one)).await?.ok_or("no pull request")?;
    assert_eq!(pull.reactions.get(&Emoji::Rocket), Some(&1));
    let comment = db.get(Key::of(&comment)).await?.ok_or("no comment")?;
    assert_eq!(comment.reactions.get(&Emoji::Rocket), Some(&1));
    Ok(())
}
