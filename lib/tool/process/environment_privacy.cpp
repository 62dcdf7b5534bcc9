#include <weft/tool/process/environment_privacy.hpp>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace weft {

bool keep_environment_private() noexcept
{
#ifdef __linux__
    return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
#else
    return false;
#endif
}

}  // namespace weft
