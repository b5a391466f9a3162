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


class WrongPassword(NotAuthenticated, title="Address and password do not fit together"):
    """Address and password do not fit."""


class TooManyLogins(Problem, status=429, title="Too many refused logins; wait some minutes"):
    """Too many refused logins for this address."""


class LastOwner(Conflict, title="An organization keeps at least one owner"):
    """An organization keeps at least one owner."""


class AlreadyMember(Conflict, title="This person is a member already"):
    """The person is in the organization already."""


class ProjectExists(Conflict, title="The organization has a project with this slug already"):
    """The organization has a project of this name already."""


class ProjectArchived(Conflict, title="The project is archived"):
    """Nothing new is measured in an archived project."""


class WeakPassword(Invalid, title="This password is soon guessed"):
    """A password that is soon guessed."""


class LinkInvalid(NotFound, title="This link does not hold"):
    """An invitation's link, or one to set a password, that does not hold."""


class ScopeMissing(Problem, status=403, title="This token was not made for that"):
    """The token was not made for this."""


class OrganizationExists(Conflict, title="There is an organization with this slug already"):
    """There is an organization of this name already."""


class CurrentPasswordWrong(Invalid, title="The present password does not fit"):
    """The present password does not fit; whoever asks is signed in all the same."""


class SecondFactorNeeded(NotAuthenticated, title="This login takes a second factor"):
    """The password fits, and the login takes a code besides."""


class WrongCode(Invalid, title="This code does not fit"):
    """A code of a second factor that does not fit, or was used."""


class FactorExists(Conflict, slug="second-factor-exists", title="There is a second factor already"):
    """The person has a second factor already."""


class FactorElsewhere(
    Conflict, slug="second-factor-elsewhere", title="This person is in other organizations too"
):
    """Somebody's second factor guards other organizations, too."""


class FactorOwn(Conflict, slug="second-factor-own", title="Your own second factor is not reset"):
    """Nobody resets their own second factor: whoever found a browser open would."""


class FactorRequired(
    Forbidden, slug="second-factor-required", title="The organization requires a second factor"
):
    """The organization requires a second factor, and the person has none."""


class FactorMissing(
    Conflict, slug="second-factor-missing", title="You have no second factor yourself"
):
    """Who requires a second factor of others has one."""


class LogoutRefused(Invalid, status=400, title="This logout token does not hold"):
    """A provider's word that somebody signed out, which does not hold."""


class PasskeyRefused(Invalid, title="This passkey was not taken"):
    """A passkey's answer that does not hold."""


class PasskeyExists(Conflict, title="This passkey is known already"):
    """The passkey is known already."""


class PasskeysNotHere(Conflict, title="The platform's address has no passkeys"):
    """No browser makes or shows a passkey at the platform's address."""


class PipelineRefused(NotAuthenticated, title="This pipeline is not let in"):
    """A CI service's token that no trust lets in."""


class ProviderAway(
    Unavailable, title="The provider that people sign in with does not answer as one"
):
    """The provider does not answer, or not as one."""


class ProviderAnswerRefused(Forbidden, title="What the provider said of you does not hold"):
    """What the provider said does not hold."""


class SignInEnded(NotFound, title="This attempt to sign in is over; begin anew"):
    """Nobody waits for this answer of a provider."""


class NotInvited(Forbidden, title="The organization does not know you"):
    """The provider knows the person, the organization does not."""


class AddressNotVerified(Forbidden, title="The provider does not say that the address is yours"):
    """The provider does not vouch for the person's address."""


class AccountElsewhere(
    Forbidden, title="The account of this address is in other organizations too"
):
    """The account of the address is in other organizations, for which the provider cannot speak."""


class ProviderRequired(Forbidden, title="Your organization wants you to sign in with its provider"):
    """The organization's people sign in with its provider."""
