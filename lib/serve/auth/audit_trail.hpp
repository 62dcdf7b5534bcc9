#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/token_level.hpp>
#include <weft/serve/auth_options.hpp>
#include <weft/serve/principal.hpp>
#include <weft/store/service/audit_log.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** Writes what callers did into the audit log, behind their backs: no answer waits for it.
 *
 *  Refused callers can come as fast as they like; of them ten in a second are written, and the others counted.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       The documents outlive it. */
class audit_trail {
public:
    using problem_function = std::function<void(std::string_view what)>;

    /** @param lifetime   Of an entry; 0: nothing is written. */
    audit_trail(serial_loop& loop, document_store& documents, std::chrono::hours lifetime, problem_function problem);

    /** Where writes run; null: nothing is written any more. */
    void write_in(scope* background) noexcept { background_ = background; }

    /** Entries live so long from now on. */
    void keep_for(std::chrono::hours lifetime) noexcept { lifetime_ = lifetime; }

    /** @param peer   The address of the caller. */
    void tell(const principal& who, std::string action, std::string_view target, std::string_view peer);
    /** A caller was turned away. */
    void tell_refused(std::string_view why, std::string_view target, std::string_view peer);

private:
    void add(audit_entry entry);
    static task<void> write(audit_trail& self, audit_entry entry);

    serial_loop& loop_;
    audit_log log_;
    std::chrono::hours lifetime_;
    problem_function problem_;
    token_level refused_;
    std::size_t unwritten_ = 0;  // refused callers since the last entry of one
    std::size_t under_way_ = 0;
    scope* background_ = nullptr;
};

}  // namespace weft::serve_detail
