// Fuzzes the files of `weft serve --auth`: one that is read asks who calls, the others are refused with the place.

#include "graph/run_input.hpp"
#include "serve/auth_file.hpp"
#include "stream_pieces.hpp"

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

using stream_pieces::require;

constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "null", "true", "false", "1", "-1", "1e9", "\"\"", "\"a\"", R"("api_keys":true)",
    R"("api_keys":false)", R"("jwt":{)", R"("issuer":"i")", R"("audience":"a")", R"("jwks_url":"https://x/k")",
    R"("jwks_file":"../secret")", R"("tenant_claim":"t")", R"("certificates":[{)", R"("subject":"s")",
        R"("scopes":["*"])",
    R"("limits":{)", R"("runs":5)", R"("burst":1)", R"("audit_days":90)", R"("audit_days":-1)",
};

/** A file that every input is written to. */
const std::filesystem::path& scratch()
{
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("weft_auth_fuzz_" + std::to_string(::getpid()) + ".json");
    return file;
}

void check(std::string_view text)
{
    std::ofstream{scratch(), std::ios::binary}.write(text.data(), static_cast<std::streamsize>(text.size()));
    try {
        const weft::auth_options read = weft_cli::read_auth_file(scratch());
        require(read.is_on());
    } catch (const weft_cli::usage_error& refused) {
        require(std::string_view{refused.what()}.find(scratch().string()) != std::string_view::npos);
    }
    std::filesystem::remove(scratch());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    check(text);
    check('{' + text + '}');
    return 0;
}
