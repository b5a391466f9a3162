"""What can go wrong with people and tokens."""

from weighhouse_backend.kit.problems import Conflict, Invalid, NotAuthenticated, NotFound, Problem


class WrongPassword(NotAuthenticated):
    """Address and password do not fit."""

    slug = "wrong-password"
    title = "Address and password do not fit together"


class TooManyLogins(Problem):
    """Too many refused logins for this address."""

    status = 429
    slug = "too-many-logins"
    title = "Too many refused logins; wait some minutes"


class LastOwner(Conflict):
    """An organization keeps at least one owner."""

    slug = "last-owner"
    title = "An organization keeps at least one owner"


class AlreadyMember(Conflict):
    """The person is in the organization already."""

    slug = "already-member"
    title = "This person is a member already"


class ProjectExists(Conflict):
    """The organization has a project of this name already."""

    slug = "project-exists"
    title = "The organization has a project with this slug already"


class WeakPassword(Invalid):
    """A password that is soon guessed."""

    slug = "weak-password"
    title = "This password is soon guessed"


class LinkInvalid(NotFound):
    """An invitation's link, or one to set a password, that does not hold."""

    slug = "link-invalid"
    title = "This link does not hold"


class ScopeMissing(Problem):
    """The token was not made for this."""

    status = 403
    slug = "scope-missing"
    title = "This token was not made for that"


class OrganizationExists(Conflict):
    """There is an organization of this name already."""

    slug = "organization-exists"
    title = "There is an organization with this slug already"


class CurrentPasswordWrong(Invalid):
    """The present password does not fit; whoever asks is signed in all the same."""

    slug = "current-password-wrong"
    title = "The present password does not fit"


class SecondFactorNeeded(NotAuthenticated):
    """The password fits, and the login takes a code besides."""

    slug = "second-factor-needed"
    title = "This login takes a second factor"


class WrongCode(Invalid):
    """A code of a second factor that does not fit, or was used."""

    slug = "wrong-code"
    title = "This code does not fit"


class FactorExists(Conflict):
    """The person has a second factor already."""

    slug = "second-factor-exists"
    title = "There is a second factor already"
