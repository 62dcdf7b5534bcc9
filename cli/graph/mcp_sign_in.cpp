#include "mcp_sign_in.hpp"

#include <weft/base/error.hpp>
#include <weft/tool/oauth/oauth_loopback.hpp>
#include <weft/tool/oauth/oauth_token_file.hpp>

#include <unistd.h>

#include <iostream>
#include <memory>
#include <utility>

namespace weft_cli {

namespace {

weft::task<weft::oauth_redirect> refuse_to_ask(std::string server)
{
    throw weft::error{weft::errc::mcp_unauthorized, "MCP server '" + server + "'",
                      "a person has to agree in a browser, and standard error is no terminal: run this once at a "
                      "terminal with --mcp-tokens FILE, and then with the same file"};
    co_return weft::oauth_redirect{};
}

std::function<weft::task<weft::oauth_redirect>()> redirect_for(const std::string& server)
{
    if (::isatty(STDERR_FILENO) == 0) return [server] { return refuse_to_ask(server); };
    weft::oauth_loopback_options options;
    options.show = [server](const std::string& url) {
        // In one piece: the run may write as well.
        std::cerr << "weft: the MCP server '" + server +
                         "' wants you to sign in. Open in a browser on this machine:\n" + url + "\n"
                  << std::flush;
    };
    return weft::oauth_loopback(std::move(options));
}

}  // namespace

std::function<weft::oauth_options(const std::string& server)> sign_in_at_terminal(const std::string& token_file)
{
    const std::shared_ptr<weft::oauth_token_store> tokens =
        token_file.empty() ? nullptr : weft::oauth_token_file(token_file);
    return [tokens](const std::string& server) {
        weft::oauth_options options;
        options.redirect = redirect_for(server);
        options.tokens = tokens;
        return options;
    };
}

}  // namespace weft_cli
