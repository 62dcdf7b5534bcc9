#include "oauth_flow.hpp"

#include <weft/base/text/percent_encoded.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/text/http_headers.hpp>

#include "form_text.hpp"
#include "oauth_answers.hpp"
#include "oauth_secrets.hpp"
#include "tool/rpc/mcp_text.hpp"

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t words_max = 500;
constexpr std::size_t visit_fields_max = 32;
constexpr std::string_view form_type = "application/x-www-form-urlencoded";

bool contains(const std::vector<std::string>& list, std::string_view wanted)
{
    return std::find(list.begin(), list.end(), wanted) != list.end();
}

/** Adds scopes that are not in a list of scopes yet. */
void add_scopes(std::vector<std::string>& to, std::string_view scopes)
{
    while (!scopes.empty()) {
        const std::string_view one = scopes.substr(0, scopes.find(' '));
        scopes.remove_prefix(std::min(one.size() + 1, scopes.size()));
        if (!one.empty() && !contains(to, one)) to.emplace_back(one);
    }
}

/** How a client proves who it is: by what it was registered with, else by what the server knows.
 *  @par Source   RFC 8414 §2: without a list it is `client_secret_basic`. */
std::string_view authentication_of(const oauth_registration& client, const std::vector<std::string>& known)
{
    if (client.secret.empty()) return "none";
    if (client.method == "client_secret_basic" || client.method == "client_secret_post") return client.method;
    const bool is_basic = known.empty() || contains(known, "client_secret_basic");
    return is_basic ? "client_secret_basic" : "client_secret_post";
}

/** What a new client asks to be: without a secret, where the server has such clients. */
std::string registered_method(const std::vector<std::string>& known)
{
    if (known.empty() || contains(known, "none")) return "none";
    return contains(known, "client_secret_basic") ? "client_secret_basic" : "client_secret_post";
}

bool leads_to_this_machine(const std::string& uri)
{
    try {
        return url{uri}.host_is_loopback();
    } catch (const error& e) {
        if (e.code() != errc::invalid_url) throw;
        return true;  // a scheme of the program's own
    }
}

std::string_view query_of(std::string_view said)
{
    if (const std::size_t mark = said.find('?'); mark != said.npos) said.remove_prefix(mark + 1);
    return said.substr(0, said.find('#'));
}

}  // namespace

oauth_flow::oauth_flow(const oauth_options& options, url server, oauth_wish wish)
    : options_{&options}, server_{std::move(server)}, wish_{std::move(wish)}
{
    const bool is_known = wish_.discovery && is_same_issuer(wish_.discovery->server.issuer, wish_.held.issuer);
    if (wish_.may_refresh && !wish_.held.refresh.empty() && is_known) {
        result_.discovery = *wish_.discovery;
        refresh();
    } else {
        search();
    }
}

void oauth_flow::fail(std::string detail)
{
    failure_.emplace(errc::mcp_unauthorized, server_.endpoint(), std::move(detail));
    next_ = step::failed;
}

std::string oauth_flow::clean(std::string_view text) const
{
    std::string words = mcp_detail::harmless_text(text, words_max);
    for (const secret_string* secret : {&options_->client_secret, &client_.secret, &wish_.held.client.secret,
                                        &wish_.held.refresh, &wish_.held.access, &code_})
        words = secret->scrub(words);
    return secret_string{wish_.verifier}.scrub(words);
}

void oauth_flow::fetch(url target)
{
    request_ = oauth_request{};
    request_.target = std::move(target);
    next_ = step::fetch;
}

void oauth_flow::search()
{
    try {
        search_.emplace(server_, wish_.challenge.resource_metadata, options_->issuer);
        fetch(search_->target());
    } catch (const error& e) {
        fail(e.detail());
    }
}

void oauth_flow::on_response(int status, std::string_view body)
{
    if (!search_) return is_registering_ ? take_registration(status, body) : take_token(status, body);
    try {
        search_->on_response(status, body);
    } catch (const error& e) {
        return fail(e.detail());
    }
    if (!search_->is_done()) return fetch(search_->target());
    result_.discovery = search_->found();
    search_.reset();
    const bool is_ours = is_same_issuer(result_.discovery.server.issuer, wish_.held.issuer);
    if (wish_.may_refresh && is_ours && !wish_.held.refresh.empty()) refresh();
    else new_grant();
}

void oauth_flow::refresh()
{
    client_ = wish_.held.client;
    if (!options_->client_id.empty() && client_.id == options_->client_id) client_.secret = options_->client_secret;
    if (client_.id.empty()) return new_grant();
    result_.is_refresh = true;
    ask_for_token({{"grant_type", "refresh_token"}, {"refresh_token", std::string{wish_.held.refresh.reveal()}}});
}

void oauth_flow::new_grant()
{
    result_.is_refresh = false;
    wish_.may_refresh = false;
    if (!wish_.may_ask) return fail("the authorization server refreshes the token no more");
    // What was known from before may be out of date.
    if (std::exchange(wish_.discovery, std::nullopt)) return search();
    start_grant();
}

void oauth_flow::start_grant()
{
    result_.asked_scope = wanted_scope();
    if (options_->grant == oauth_grant::client_credentials) {
        client_ = oauth_registration{options_->client_id, options_->client_secret};
        fields form{{"grant_type", "client_credentials"}};
        if (!result_.asked_scope.empty()) form.emplace_back("scope", result_.asked_scope);
        return ask_for_token(std::move(form));
    }
    if (!options_->redirect)
        return fail("a person has to agree in a browser, and none can be asked here: give `oauth` a `redirect`");
    if (!result_.discovery.server.authorization_endpoint)
        return fail("the authorization server " + clean(result_.discovery.server.issuer) +
                    " names no authorization_endpoint");
    if (!contains(result_.discovery.server.challenge_methods, "S256"))
        return fail("the authorization server " + clean(result_.discovery.server.issuer) +
                    " does not say that it knows PKCE with S256 (code_challenge_methods_supported), without which no "
                    "code is safe: it is not used");
    next_ = step::redirect;
}

std::string oauth_flow::wanted_scope() const
{
    std::vector<std::string> scopes;
    // A step up asks for what there was as well, or the new token could do less.
    if (wish_.challenge.error == "insufficient_scope") add_scopes(scopes, wish_.held.scope);
    if (!wish_.challenge.scope.empty()) add_scopes(scopes, wish_.challenge.scope);
    else
        for (const std::string& one : result_.discovery.resource.scopes_supported) add_scopes(scopes, one);
    for (const std::string& one : options_->scopes) add_scopes(scopes, one);
    std::string text;
    for (const std::string& one : scopes) text += (text.empty() ? "" : " ") + one;
    return text;
}

void oauth_flow::on_redirect_uri(std::string uri)
{
    client_ = oauth_registration{};
    client_.redirect_uri = std::move(uri);
    choose_client();
}

void oauth_flow::choose_client()
{
    const oauth_registration& before = wish_.held.client;
    if (!options_->client_id.empty()) {
        client_.id = options_->client_id;
        client_.secret = options_->client_secret;
        return ask_person();
    }
    if (!options_->client_metadata_url.empty() && result_.discovery.server.knows_metadata_documents) {
        client_.id = options_->client_metadata_url;
        return ask_person();
    }
    const bool is_ours = is_same_issuer(result_.discovery.server.issuer, wish_.held.issuer);
    if (is_ours && !before.id.empty() && before.redirect_uri == client_.redirect_uri) {
        client_ = before;
        return ask_person();
    }
    if (result_.discovery.server.registration_endpoint) return register_client();
    fail("the authorization server " + clean(result_.discovery.server.issuer) +
         " has no dynamic registration: register a client there, and give its id");
}

void oauth_flow::register_client()
{
    tool_detail::registration_wish wish;
    wish.name = options_->client_name;
    wish.redirect_uri = client_.redirect_uri;
    wish.is_native = leads_to_this_machine(client_.redirect_uri);
    wish.method = registered_method(result_.discovery.server.client_authentication_methods);
    wish.scope = result_.asked_scope;
    fetch(*result_.discovery.server.registration_endpoint);
    request_.content_type = "application/json";
    request_.body = tool_detail::registration_text(wish);
    is_registering_ = true;
}

void oauth_flow::take_registration(int status, std::string_view body)
{
    is_registering_ = false;
    tool_detail::registration_answer answer = tool_detail::read_registration_answer(status, body);
    if (answer.client.id.empty())
        return fail("the authorization server does not register this client: " + clean(answer.refused));
    answer.client.redirect_uri = std::move(client_.redirect_uri);
    client_ = std::move(answer.client);
    ask_person();
}

void oauth_flow::ask_person()
{
    fields form{{"response_type", "code"},
                {"client_id", client_.id},
                {"redirect_uri", client_.redirect_uri},
                {"code_challenge", tool_detail::pkce_challenge(wish_.verifier)},
                {"code_challenge_method", "S256"},
                {"state", wish_.state},
                {"resource", result_.discovery.resource.resource}};
    if (!result_.asked_scope.empty()) form.emplace_back("scope", result_.asked_scope);
    visit_url_ = result_.discovery.server.authorization_endpoint->to_string();
    visit_url_ += (visit_url_.find('?') == std::string::npos ? '?' : '&') + tool_detail::form_text(form);
    next_ = step::visit;
}

void oauth_flow::on_visit(std::string_view query)
{
    const std::optional<fields> said = tool_detail::read_form(query_of(query), visit_fields_max);
    if (!said) return fail("the browser came back with more than an authorization server says");
    check_visit(*said);
}

void oauth_flow::check_visit(const fields& said)
{
    bool is_twice = false;
    const auto value_of = [&](std::string_view name) -> const std::string* {
        const auto is_it = [name](const auto& field) { return field.first == name; };
        const auto found = std::find_if(said.begin(), said.end(), is_it);
        if (found == said.end()) return nullptr;
        is_twice |= std::find_if(std::next(found), said.end(), is_it) != said.end();
        return &found->second;
    };
    const std::string* const state = value_of("state");
    const std::string* const issuer = value_of("iss");
    const std::string* const refused = value_of("error");
    const std::string* const code = value_of("code");
    if (is_twice) return fail("the browser came back with a parameter given twice");
    // First of all: without it the rest may come from another site.
    if (!state || *state != wish_.state)
        return fail("the browser came back without the state that it was sent with: what it says is not used");
    if (issuer ? *issuer != result_.discovery.server.issuer : result_.discovery.server.names_issuer)
        return fail("the browser came back from another authorization server than the one that was asked (iss)");
    if (refused) {
        const std::string* const why = value_of("error_description");
        return fail("it was not agreed to: " + clean(*refused + (why ? ", " + *why : std::string{})));
    }
    if (!code || code->empty()) return fail("the browser came back without a code");
    code_ = secret_string{*code};
    ask_for_token({{"grant_type", "authorization_code"},
                   {"code", *code},
                   {"redirect_uri", client_.redirect_uri},
                   {"code_verifier", wish_.verifier}});
}

void oauth_flow::ask_for_token(fields form)
{
    form.emplace_back("resource", result_.discovery.resource.resource);
    fetch(*result_.discovery.server.token_endpoint);
    const std::string_view how = authentication_of(client_, result_.discovery.server.client_authentication_methods);
    if (how == "client_secret_basic") {
        request_.basic = secret_string{to_base64(percent_encoded(client_.id) + ":" +
                                                             percent_encoded(client_.secret.reveal()))};
    } else {
        form.emplace_back("client_id", client_.id);
        if (how == "client_secret_post") form.emplace_back("client_secret", std::string{client_.secret.reveal()});
    }
    request_.content_type = form_type;
    request_.body = tool_detail::form_text(form);
}

void oauth_flow::take_token(int status, std::string_view body)
{
    tool_detail::token_answer answer = tool_detail::read_token_answer(status, body);
    if (answer.access.empty()) {
        const bool is_over = answer.error_code == "invalid_grant" || answer.error_code == "invalid_client" ||
                             answer.error_code == "unauthorized_client";
        if (!result_.is_refresh || !is_over)
            return fail("the authorization server gives no token: " + clean(answer.refused));
        // A client that is not known any more is registered anew.
        if (answer.error_code != "invalid_grant") wish_.held.client = oauth_registration{};
        return new_grant();
    }
    result_.tokens.access = std::move(answer.access);
    result_.tokens.refresh = std::move(answer.refresh);
    result_.tokens.scope = std::move(answer.scope);
    result_.tokens.issuer = result_.discovery.server.issuer;
    result_.tokens.client = client_;
    // What the program was given is given to it again: it is not kept a second time.
    if (client_.id == options_->client_id) result_.tokens.client.secret.wipe();
    result_.expires_in = answer.expires_in;
    // What an answer leaves out stays as it was, or is as it was asked for.
    if (result_.is_refresh && result_.tokens.refresh.empty()) result_.tokens.refresh = wish_.held.refresh;
    if (result_.tokens.scope.empty())
        result_.tokens.scope = result_.is_refresh ? wish_.held.scope : result_.asked_scope;
    next_ = step::done;
}

}  // namespace weft
