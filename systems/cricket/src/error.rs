//! Why cricket refuses a request.

singlet_web::problems! {
    /// Why cricket refuses a request.
    pub enum Error {
        /// No match has this id.
        MatchNotFound = 404, "match-not-found", "Match not found";
        /// No team has this id.
        TeamNotFound = 404, "team-not-found", "Team not found";
        /// No league has this id.
        LeagueNotFound = 404, "league-not-found", "League not found";
        /// No league has this season.
        SeasonNotFound = 404, "season-not-found", "Season not found";
        /// You have no device registered, or not this one. Open the app, or turn on "This browser is
        /// my phone".
        DeviceNotFound = 404, "device-not-found", "Device not found";
        /// You do not follow this match.
        NotFollowing = 404, "not-following", "Not following";
        /// The match is over.
        MatchOver = 409, "match-over", "Match over";
        /// The match is not a replay: it cannot be played, paused or deleted.
        NotAReplay = 409, "not-a-replay", "Not a replay";
        /// The feed still lists the league. Turn it off instead: it would come back.
        LeagueInFeed = 409, "league-in-feed", "League is in the feed";
        /// Another user has registered this activity.
        ActivityTaken = 409, "activity-taken", "Activity taken";
        /// You show this match on eight lock screens already. Remove one of them first.
        TooManyActivities = 409, "too-many-activities", "Too many activities";
        /// The team does not play in this match. Choose one of its two teams, or `neutral`.
        TeamNotInMatch = 422, "team-not-in-match", "Team not in match";
        /// Only members of the group `cricket-admin` can do this.
        NotAnAdmin = 403, "not-an-admin", "Not an admin";
    }
}
