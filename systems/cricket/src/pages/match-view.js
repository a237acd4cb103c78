// match-view
