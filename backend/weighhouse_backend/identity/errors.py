"""What can go wrong with people and tokens."""

from weighhouse_backend.kit.problems import (
    Conflict,
    Forbidden,
    Invalid,
    NotAuthenticated,
    NotFound,
    Problem,
    Unavailable,
)


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


class ProjectArchived(Conflict):
    """Nothing new is measured in an archived project."""

    slug = "project-archived"
    title = "The project is archived"


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


class FactorElsewhere(Conflict):
    """Somebody's second factor guards other organizations, too."""

    slug = "second-factor-elsewhere"
    title = "This person is in other organizations too"


class FactorOwn(Conflict):
    """Nobody resets their own second factor: whoever found a browser open would."""

    slug = "second-factor-own"
    title = "Your own second factor is not reset"


class FactorRequired(Forbidden):
    """The organization requires a second factor, and the person has none."""

    slug = "second-factor-required"
    title = "The organization requires a second factor"


class FactorMissing(Conflict):
    """Who requires a second factor of others has one."""

    slug = "second-factor-missing"
    title = "You have no second factor yourself"


class LogoutRefused(Invalid):
    """A provider's word that somebody signed out, which does not hold."""

    status = 400
    slug = "logout-refused"
    title = "This logout token does not hold"


class PasskeyRefused(Invalid):
    """A passkey's answer that does not hold."""

    slug = "passkey-refused"
    title = "This passkey was not taken"


class PasskeyExists(Conflict):
    """The passkey is known already."""

    slug = "passkey-exists"
    title = "This passkey is known already"


class PasskeysNotHere(Conflict):
    """No browser makes or shows a passkey at the platform's address."""

    slug = "passkeys-not-here"
    title = "The platform's address has no passkeys"


class PipelineRefused(NotAuthenticated):
    """A CI service's token that no trust lets in."""

    slug = "pipeline-refused"
    title = "This pipeline is not let in"


class ProviderAway(Unavailable):
    """The provider does not answer, or not as one."""

    slug = "provider-away"
    title = "The provider that people sign in with does not answer as one"


class ProviderAnswerRefused(Forbidden):
    """What the provider said does not hold."""

    slug = "provider-answer-refused"
    title = "What the provider said of you does not hold"


class SignInEnded(NotFound):
    """Nobody waits for this answer of a provider."""

    slug = "sign-in-ended"
    title = "This attempt to sign in is over; begin anew"


class NotInvited(Forbidden):
    """The provider knows the person, the organization does not."""

    slug = "not-invited"
    title = "The organization does not know you"


class AddressNotVerified(Forbidden):
    """The provider does not vouch for the person's address."""

    slug = "address-not-verified"
    title = "The provider does not say that the address is yours"


class AccountElsewhere(Forbidden):
    """The account of the address is in other organizations, for which the provider cannot speak."""

    slug = "account-elsewhere"
    title = "The account of this address is in other organizations too"


class ProviderRequired(Forbidden):
    """The organization's people sign in with its provider."""

    slug = "provider-required"
    title = "Your organization wants you to sign in with its provider"
