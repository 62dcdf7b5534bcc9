#pragma once

#include <weft/tool/oauth/oauth_tokens.hpp>

#include <memory>
#include <string>

namespace weft {

/** Keeps tokens in a file that only its owner may read (mode 0600), for several servers and processes.
 *
 *  The tokens stand in it as they are: a program that can read the file can use them. Each change is written to a file
 *  beside it that then takes its place, under a lock (`FILE.lock`).
 *
 *  @par Errors          Of `load` and `save`: `errc::invalid_configuration` if the file cannot be read or written, is
 *                       another kind of file, or others than its owner may read it.
 *  @par Thread safety   From any OS thread. Blocks for as long as reading or writing a small file takes.
 */
[[nodiscard]] std::shared_ptr<oauth_token_store> oauth_token_file(std::string path);

}  // namespace weft
