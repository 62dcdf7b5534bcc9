#include "store_problem.hpp"

#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"

#include <iostream>

namespace weft_cli {

int exit_code_for(weft::errc code) noexcept
{
    switch (code) {
    case weft::errc::store_in_use:
    case weft::errc::store_unavailable:
    case weft::errc::store_outcome_unknown:
    case weft::errc::store_full:
    case weft::errc::thread_is_busy:
    case weft::errc::thread_lost:
    case weft::errc::graph_changed: return has_failed;
    default: return wrong_usage;
    }
}

std::string store_remedy(const weft::error& why)
{
    using weft::errc;
    switch (why.code()) {
    case errc::store_in_use:
        return "To stop what runs there, press Ctrl-C where it was started, or kill -INT with the number of its "
               "process: what is done is kept, and weft resume goes on. weft threads, history and show work meanwhile.";
    case errc::store_unavailable: return "Check that the store is there and can be reached, then try again.";
    case errc::store_outcome_unknown: return "Look with weft history whether it took place before you try again.";
    case errc::store_full: return "Make space: weft prune --all, weft forget THREAD.";
    case errc::store_refused:
        if (why.detail().find("(`prepare`)") == std::string::npos) return "";
        return "A first weft run FILE --thread NAME with this store sets it up.";
    case errc::thread_is_busy:
        return "--on-busy queue waits for its turn, --on-busy replace cancels the other run; weft stop THREAD ends it.";
    case errc::graph_changed:
        return "weft compat OLD.json NEW.json shows all differences; --migration FILE says what was renamed.";
    default: return "";
    }
}

int tell_wrong(std::string_view command, const weft::error& why)
{
    std::cerr << "weft " << command << ": " << console::harmless(why.what()) << '\n';
    if (const std::string remedy = store_remedy(why); !remedy.empty()) std::cerr << remedy << '\n';
    return exit_code_for(why.code());
}

int tell_wrong(std::string_view command, const usage_error& why)
{
    std::cerr << "weft " << command << ": " << console::harmless(why.what()) << '\n';
    return wrong_usage;
}

}  // namespace weft_cli
