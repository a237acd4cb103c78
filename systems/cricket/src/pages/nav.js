// nav
